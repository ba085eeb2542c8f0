#!/bin/sh
# Makes the Go code of contract.proto. It needs protoc (Debian: protobuf-compiler)
# and fetches the plugins; the versions are those that made the committed files.
set -eu
cd "$(dirname "$0")"
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
for plugin in \
	google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12 \
	google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2 \
	connectrpc.com/connect/cmd/protoc-gen-connect-go@v1.21.1 \
	storj.io/drpc/cmd/protoc-gen-go-drpc@v1.0.0 \
	github.com/containerd/ttrpc/cmd/protoc-gen-go-ttrpc@v1.2.10; do
	GOBIN="$tools" GOWORK=off go install "$plugin"
done
PATH="$tools:$PATH" protoc \
	--go_out=. --go_opt=paths=source_relative \
	--go-grpc_out=. --go-grpc_opt=paths=source_relative \
	--connect-go_out=. --connect-go_opt=paths=source_relative,simple=true \
	--go-drpc_out=. --go-drpc_opt=paths=source_relative \
	--go-ttrpc_out=. --go-ttrpc_opt=paths=source_relative,prefix=TTRPC \
	contract.proto
