// Command ttrpc is the other side of the peers of package ttrpc.
package main

import (
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
	"github.com/tenon-go/tenon/benchmarks/peers/ttrpc"
)

func main() { peer.Main(ttrpc.Peers...) }
