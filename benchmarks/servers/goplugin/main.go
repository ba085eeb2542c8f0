// Command goplugin is the other side of the peers of package goplugin.
package main

import (
	"github.com/tenon-go/tenon/benchmarks/peers/goplugin"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
)

func main() { peer.Main(goplugin.Peers...) }
