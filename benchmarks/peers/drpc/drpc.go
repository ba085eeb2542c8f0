// Package drpc calls through storj.io/drpc.
package drpc

import (
	"context"

	"storj.io/drpc/drpcconn"
	"storj.io/drpc/drpcmanager"
	"storj.io/drpc/drpcmux"
	"storj.io/drpc/drpcpool"
	"storj.io/drpc/drpcserver"
	"storj.io/drpc/drpcwire"

	"github.com/tenon-go/tenon/benchmarks/contract/pb/pbdrpc"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
	"github.com/tenon-go/tenon/benchmarks/peers/protobuf"
)

// Peers is what this package offers.
var Peers = []peer.Peer{drpcPool{}}

// drpcPool uses a pool, as drpc's documentation wants it: a connection carries
// one call at a time.
type drpcPool struct{}

func (drpcPool) Info() peer.Info {
	return peer.Info{
		Name:      "drpc",
		About:     "drpc over a pool of Unix sockets",
		Kind:      peer.Other,
		Module:    "storj.io/drpc",
		Program:   "drpc",
		MaxUpload: peer.AnySize,
		Streams:   true,
		Unread:    true,
	}
}

// drpcManager raises the limit of 4 MiB per message for the uploads.
var drpcManager = drpcmanager.Options{Reader: drpcwire.ReaderOptions{MaximumBufferSize: 65 << 20}}

func (p drpcPool) Start(ctx context.Context) (peer.Client, error) {
	server, path, err := peer.StartOnSocket(p)
	if err != nil {
		return nil, err
	}
	dial := peer.DialSocket(path)
	pool := drpcpool.New[string, drpcpool.Conn](drpcpool.Options{})
	conn := pool.Get(ctx, path, func(ctx context.Context, _ string) (drpcpool.Conn, error) {
		stream, err := dial(ctx)
		if err != nil {
			return nil, err
		}
		return drpcconn.NewWithOptions(stream, drpcconn.Options{Manager: drpcManager}), nil
	})
	return peer.Joined{
		Directory: protobuf.Client{Service: pbdrpc.NewDRPCDirectoryClient(conn)},
		Streams:   protobuf.Feed{Service: feedService{pbdrpc.NewDRPCFeedClient(conn)}},
		End: func() error {
			conn.Close()
			pool.Close()
			return server.Close()
		},
	}, nil
}

func (drpcPool) Serve() error {
	listener, err := peer.InheritedListener()
	if err != nil {
		return err
	}
	mux := drpcmux.New()
	if err := pbdrpc.DRPCRegisterDirectory(mux, protobuf.Server{}); err != nil {
		return err
	}
	if err := pbdrpc.DRPCRegisterFeed(mux, feedServer{}); err != nil {
		return err
	}
	srv := drpcserver.NewWithOptions(mux, drpcserver.Options{Manager: drpcManager})
	return srv.Serve(context.Background(), listener)
}
