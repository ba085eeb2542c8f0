// Package peers lists every way of calling a contract.Directory that the
// benchmarks compare. Each is a package of its own.
package peers

import (
	"slices"

	"github.com/tenon-go/tenon/benchmarks/peers/bare"
	"github.com/tenon-go/tenon/benchmarks/peers/channels"
	"github.com/tenon-go/tenon/benchmarks/peers/connect"
	"github.com/tenon-go/tenon/benchmarks/peers/drpc"
	"github.com/tenon-go/tenon/benchmarks/peers/goplugin"
	"github.com/tenon-go/tenon/benchmarks/peers/grpc"
	"github.com/tenon-go/tenon/benchmarks/peers/nats"
	"github.com/tenon-go/tenon/benchmarks/peers/netrpc"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
	"github.com/tenon-go/tenon/benchmarks/peers/tenon"
	"github.com/tenon-go/tenon/benchmarks/peers/ttrpc"
)

// All returns the peers in the order of the tables.
func All() []peer.Peer {
	return slices.Concat(
		tenon.Peers,
		bare.Peers,
		netrpc.Peers,
		drpc.Peers,
		ttrpc.Peers,
		nats.Peers,
		goplugin.Peers,
		grpc.Peers,
		connect.Peers,
		channels.Peers,
	)
}
