// Command bare is the other side of the peers of package bare.
package main

import (
	"github.com/tenon-go/tenon/benchmarks/peers/bare"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
)

func main() { peer.Main(bare.Peers...) }
