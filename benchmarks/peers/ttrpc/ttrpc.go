// Package ttrpc calls through containerd/ttrpc.
package ttrpc

import (
	"context"

	"github.com/containerd/ttrpc"

	"github.com/tenon-go/tenon/benchmarks/contract/pb/pbttrpc"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
	"github.com/tenon-go/tenon/benchmarks/peers/protobuf"
)

// Peers is what this package offers.
var Peers = []peer.Peer{ttrpcSocket{}}

type ttrpcSocket struct{}

func (ttrpcSocket) Info() peer.Info {
	return peer.Info{
		Name:      "ttrpc",
		About:     "ttrpc over a Unix socket; 4 MiB per message at most",
		Kind:      peer.Other,
		Module:    "github.com/containerd/ttrpc",
		Program:   "ttrpc",
		MaxUpload: 3 << 20,
		Streams:   true,
	}
}

func (p ttrpcSocket) Start(ctx context.Context) (peer.Client, error) {
	server, path, err := peer.StartOnSocket(p)
	if err != nil {
		return nil, err
	}
	stream, err := peer.DialSocket(path)(ctx)
	if err != nil {
		server.Close()
		return nil, err
	}
	conn := ttrpc.NewClient(stream)
	return peer.Joined{
		Directory: protobuf.Client{Service: pbttrpc.NewTTRPCDirectoryClient(conn)},
		Streams:   protobuf.Feed{Service: feedService{pbttrpc.NewTTRPCFeedClient(conn)}},
		End: func() error {
			conn.Close()
			return server.Close()
		},
	}, nil
}

func (ttrpcSocket) Serve() error {
	listener, err := peer.InheritedListener()
	if err != nil {
		return err
	}
	srv, err := ttrpc.NewServer()
	if err != nil {
		return err
	}
	pbttrpc.RegisterTTRPCDirectoryService(srv, protobuf.Server{})
	pbttrpc.RegisterTTRPCFeedService(srv, feedServer{})
	return srv.Serve(context.Background(), listener)
}
