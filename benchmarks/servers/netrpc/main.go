// Command netrpc is the other side of the peers of package netrpc.
package main

import (
	"github.com/tenon-go/tenon/benchmarks/peers/netrpc"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
)

func main() { peer.Main(netrpc.Peers...) }
