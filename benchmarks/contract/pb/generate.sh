#!/bin/sh
# Makes the Go code of contract.proto. It needs protoc (Debian: protobuf-compiler)
# and fetches the plugins; the versions are those that made the committed files.
#
# The stubs of each plugin get a package of their own, so that a server links
# its own library only and starts as fast as it can; messages.go in each joins
# them to the one set of messages.
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
for plugin in grpc drpc ttrpc; do
	mkdir -p "pb$plugin"
done
package=github.com/tenon-go/tenon/benchmarks/contract/pb
PATH="$tools:$PATH" protoc \
	--go_out=. --go_opt=paths=source_relative \
	--connect-go_out=. --connect-go_opt=paths=source_relative,simple=true \
	--go-grpc_out=pbgrpc --go-grpc_opt=paths=source_relative,require_unimplemented_servers=false,"Mcontract.proto=$package/pbgrpc;pbgrpc" \
	--go-drpc_out=pbdrpc --go-drpc_opt=paths=source_relative,"Mcontract.proto=$package/pbdrpc;pbdrpc" \
	--go-ttrpc_out=pbttrpc --go-ttrpc_opt=paths=source_relative,prefix=TTRPC,"Mcontract.proto=$package/pbttrpc;pbttrpc" \
	contract.proto
