// Package goplugin calls through hashicorp/go-plugin.
package goplugin

import (
	"context"
	"fmt"
	"math"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/tenon-go/tenon/benchmarks/contract/pb/pbgrpc"
	peergrpc "github.com/tenon-go/tenon/benchmarks/peers/grpc"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
	"github.com/tenon-go/tenon/benchmarks/peers/protobuf"
)

// Peers is what this package offers.
var Peers = []peer.Peer{goPlugin{}}

// goPlugin starts its processes itself.
type goPlugin struct{}

func (goPlugin) Info() peer.Info {
	return peer.Info{
		Name:      "go-plugin",
		About:     "hashicorp/go-plugin with gRPC",
		Kind:      peer.Other,
		Module:    "github.com/hashicorp/go-plugin",
		Program:   "goplugin",
		MaxUpload: peer.AnySize,
	}
}

var (
	pluginHandshake = plugin.HandshakeConfig{ProtocolVersion: 1, MagicCookieKey: "TENON_BENCHMARKS", MagicCookieValue: "directory"}
	pluginSet       = plugin.PluginSet{"directory": directoryPlugin{}}
)

func (p goPlugin) Start(context.Context) (peer.Client, error) {
	cmd, err := peer.Command(p)
	if err != nil {
		return nil, err
	}
	host := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  pluginHandshake,
		Plugins:          pluginSet,
		Cmd:              cmd,
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Logger:           hclog.NewNullLogger(),
	})
	service, err := dispense(host)
	if err != nil {
		host.Kill()
		return nil, err
	}
	return peer.Joined{
		Directory: protobuf.Client{Service: service},
		End: func() error {
			host.Kill()
			return nil
		},
	}, nil
}

func dispense(host *plugin.Client) (protobuf.Service, error) {
	protocol, err := host.Client()
	if err != nil {
		return nil, err
	}
	raw, err := protocol.Dispense("directory")
	if err != nil {
		return nil, err
	}
	service, ok := raw.(protobuf.Service)
	if !ok {
		return nil, fmt.Errorf("go-plugin dispensed a %T", raw)
	}
	return service, nil
}

func (goPlugin) Serve() error {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: pluginHandshake,
		Plugins:         pluginSet,
		Logger:          hclog.NewNullLogger(),
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(opts, grpc.MaxRecvMsgSize(math.MaxInt32))...)
		},
	})
	return nil
}

// directoryPlugin is the contract as a plugin of go-plugin.
type directoryPlugin struct{ plugin.NetRPCUnsupportedPlugin }

func (directoryPlugin) GRPCServer(_ *plugin.GRPCBroker, srv *grpc.Server) error {
	pbgrpc.RegisterDirectoryServer(srv, protobuf.Server{})
	return nil
}

func (directoryPlugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return peergrpc.Service{Client: pbgrpc.NewDirectoryClient(conn)}, nil
}
