// Command tenon is the other side of the peers of package tenon.
package main

import (
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
	"github.com/tenon-go/tenon/benchmarks/peers/tenon"
)

func main() { peer.Main(tenon.Peers...) }
