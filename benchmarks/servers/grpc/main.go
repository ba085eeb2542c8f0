// Command grpc is the other side of the peers of package grpc.
package main

import (
	"github.com/tenon-go/tenon/benchmarks/peers/grpc"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
)

func main() { peer.Main(grpc.Peers...) }
