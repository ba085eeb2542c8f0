// Package connect calls through connect-go.
package connect

import (
	"context"
	"net"
	"net/http"

	"github.com/tenon-go/tenon/benchmarks/contract/pb/pbconnect"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
	"github.com/tenon-go/tenon/benchmarks/peers/protobuf"
)

// Peers is what this package offers.
var Peers = []peer.Peer{
	connectGo{"connect", "connect-go over HTTP/1.1 on a Unix socket", false},
	connectGo{"connect h2c", "connect-go over HTTP/2 without TLS on a Unix socket", true},
}

type connectGo struct {
	name, about string
	http2       bool
}

func (p connectGo) Info() peer.Info {
	return peer.Info{
		Name:      p.name,
		About:     p.about,
		Kind:      peer.Other,
		Module:    "connectrpc.com/connect",
		Program:   "connect",
		MaxUpload: peer.AnySize,
		Streams:   true,
		Unread:    true,
	}
}

// baseURL has a host because there has to be one.
const baseURL = "http://directory"

func (p connectGo) protocols() *http.Protocols {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!p.http2)
	protocols.SetUnencryptedHTTP2(p.http2)
	return protocols
}

func (p connectGo) Start(context.Context) (peer.Client, error) {
	server, path, err := peer.StartOnSocket(p)
	if err != nil {
		return nil, err
	}
	dial := peer.DialSocket(path)
	transport := &http.Transport{
		Protocols:           p.protocols(),
		DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		MaxIdleConnsPerHost: 64, // the default of 2 would dial anew all the time
	}
	client := &http.Client{Transport: transport}
	return peer.Joined{
		Directory: protobuf.Client{Service: pbconnect.NewDirectoryClient(client, baseURL)},
		Streams:   protobuf.Feed{Service: feedService{pbconnect.NewFeedClient(client, baseURL), p.http2}},
		End: func() error {
			transport.CloseIdleConnections()
			return server.Close()
		},
	}, nil
}

func (p connectGo) Serve() error {
	listener, err := peer.InheritedListener()
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(pbconnect.NewDirectoryHandler(protobuf.Server{}))
	mux.Handle(pbconnect.NewFeedHandler(feedServer{}))
	srv := &http.Server{Handler: mux, Protocols: p.protocols()}
	return srv.Serve(listener)
}
