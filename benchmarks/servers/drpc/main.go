// Command drpc is the other side of the peers of package drpc.
package main

import (
	"github.com/tenon-go/tenon/benchmarks/peers/drpc"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
)

func main() { peer.Main(drpc.Peers...) }
