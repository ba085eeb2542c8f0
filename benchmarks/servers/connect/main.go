// Command connect is the other side of the peers of package connect.
package main

import (
	"github.com/tenon-go/tenon/benchmarks/peers/connect"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
)

func main() { peer.Main(connect.Peers...) }
