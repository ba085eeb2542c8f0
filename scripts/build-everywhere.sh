#!/usr/bin/env bash
# Builds the library and the command for every system they support.
set -euo pipefail
cd "$(dirname "$0")/.."
for target in linux/amd64 linux/arm64 darwin/arm64 windows/amd64 js/wasm; do
	echo "== build for $target"
	export GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0
	go build ./...
	[ "$GOOS" = linux ] || go vet ./... # the tests compile there too
	[ "$GOOS" = js ] || (cd cmd/tenon && go build -o /dev/null .)
done
