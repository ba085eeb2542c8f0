// Command nats is the other side of the peers of package nats.
package main

import (
	"github.com/tenon-go/tenon/benchmarks/peers/nats"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
)

func main() { peer.Main(nats.Peers...) }
