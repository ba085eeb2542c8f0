#!/usr/bin/env bash
# gofmt and staticcheck over all modules.
set -euo pipefail
cd "$(dirname "$0")/.."
echo "== gofmt"
unformatted=$(git ls-files '*.go' | xargs gofmt -l)
if [ -n "$unformatted" ]; then
	echo "not formatted (gofmt -w):" >&2
	echo "$unformatted" >&2
	exit 1
fi
(cd tools && GOWORK=off go build -o "$PWD/bin/staticcheck" honnef.co/go/tools/cmd/staticcheck)
exec scripts/each-module.sh "$1" "$PWD/tools/bin/staticcheck" ./...
