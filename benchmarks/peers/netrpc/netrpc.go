// Package netrpc calls through net/rpc of the standard library.
package netrpc

import (
	"context"
	"net/rpc"

	"github.com/tenon-go/tenon/benchmarks/contract"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
)

// Peers is what this package offers.
var Peers = []peer.Peer{netRPC{}}

type netRPC struct{}

func (netRPC) Info() peer.Info {
	return peer.Info{
		Name:      "net/rpc",
		About:     "net/rpc with gob over a Unix socket",
		Kind:      peer.Other,
		Program:   "netrpc",
		MaxUpload: peer.AnySize,
	}
}

func (p netRPC) Start(ctx context.Context) (peer.Client, error) {
	server, path, err := peer.StartOnSocket(p)
	if err != nil {
		return nil, err
	}
	conn, err := peer.DialSocket(path)(ctx)
	if err != nil {
		server.Close()
		return nil, err
	}
	calls := rpc.NewClient(conn)
	end := func() error {
		calls.Close()
		return server.Close()
	}
	return netRPCStarter{peer.Joined{Directory: netRPCClient{calls}, End: end}, calls}, nil
}

func (netRPC) Serve() error {
	listener, err := peer.InheritedListener()
	if err != nil {
		return err
	}
	srv := rpc.NewServer()
	if err := srv.RegisterName("Directory", netRPCServer{}); err != nil {
		return err
	}
	srv.Accept(listener)
	return nil
}

// NetRPCAdd is exported because net/rpc wants it so.
type NetRPCAdd struct{ A, B int64 }

type netRPCClient struct{ calls *rpc.Client }

// call is rpc.Client.Call, except that it ends with ctx.
func (c netRPCClient) call(ctx context.Context, method string, args, reply any) error {
	call := c.calls.Go(method, args, reply, make(chan *rpc.Call, 1))
	select {
	case <-call.Done:
		return call.Error
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c netRPCClient) Add(ctx context.Context, a, b int64) (sum int64, err error) {
	err = c.call(ctx, "Directory.Add", NetRPCAdd{a, b}, &sum)
	return sum, err
}

// netRPCStarter can also leave the waiting for later.
type netRPCStarter struct {
	peer.Joined
	calls *rpc.Client
}

func (c netRPCStarter) StartAdd(ctx context.Context, a, b int64) (wait func() (int64, error)) {
	sum := new(int64)
	call := c.calls.Go("Directory.Add", NetRPCAdd{a, b}, sum, make(chan *rpc.Call, 1))
	return func() (int64, error) {
		select {
		case <-call.Done:
			return *sum, call.Error
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

func (c netRPCClient) Echo(ctx context.Context, user contract.User) (same contract.User, err error) {
	err = c.call(ctx, "Directory.Echo", &user, &same)
	return same, err
}

func (c netRPCClient) List(ctx context.Context, n int) (list []contract.User, err error) {
	err = c.call(ctx, "Directory.List", n, &list)
	return list, err
}

func (c netRPCClient) Upload(ctx context.Context, data []byte) (length int, err error) {
	err = c.call(ctx, "Directory.Upload", data, &length)
	return length, err
}

// netRPCServer has the methods in the form that net/rpc wants.
type netRPCServer struct{}

func (netRPCServer) Add(args NetRPCAdd, sum *int64) (err error) {
	*sum, err = contract.Local{}.Add(context.Background(), args.A, args.B)
	return err
}

func (netRPCServer) Echo(user contract.User, same *contract.User) (err error) {
	*same, err = contract.Local{}.Echo(context.Background(), user)
	return err
}

func (netRPCServer) List(n int, list *[]contract.User) (err error) {
	*list, err = contract.Local{}.List(context.Background(), n)
	return err
}

func (netRPCServer) Upload(data []byte, length *int) (err error) {
	*length, err = contract.Local{}.Upload(context.Background(), data)
	return err
}
