// Package tenon calls through tenon, over every link it has.
package tenon

import (
	"context"
	"net"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/benchmarks/contract"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/iolink"
	"github.com/tenon-go/tenon/worker"
)

// Peers is what this package offers: generated code and default options, as an
// application has it.
var Peers = []peer.Peer{
	overWorker{"tenon shm", "worker over shared memory", worker.SharedMemory, nil},
	overWorker{"tenon shm sleeping", "the same with WithPolling(0)", worker.SharedMemory, []tenon.Option{tenon.WithPolling(0)}},
	overWorker{"tenon unix", "worker over a Unix socket", worker.UnixSocket, nil},
	overWorker{"tenon pipe", "worker over two pipes", worker.Pipe, nil},
	overTCP{},
	withinProcess{},
}

// overWorker is a worker over one kind of link. The options are those of both
// sides.
type overWorker struct {
	name, about string
	link        worker.Link
	options     []tenon.Option
}

func (p overWorker) Info() peer.Info {
	return peer.Info{Name: p.name, About: p.about, Kind: peer.Ours, Program: "tenon", MaxUpload: peer.AnySize, Streams: true, Unread: true}
}

func (p overWorker) Start(ctx context.Context) (peer.Client, error) {
	path, args, err := peer.CommandLine(p)
	if err != nil {
		return nil, err
	}
	w, err := worker.Start(ctx, worker.Program(path, args...), worker.Over(p.link), worker.Back(newBack()), worker.Conn(p.options...))
	if err != nil {
		return nil, err
	}
	return newClient(w, w.Close), nil
}

func (p overWorker) Serve() error {
	return worker.Serve(context.Background(), newServer(p.options...))
}

// A client calls through generated code.
type client struct {
	peer.Joined
	starter contract.DirectoryStarter
}

func newClient(caller tenon.Caller, end func() error) client {
	joined := peer.Joined{
		Directory: contract.NewDirectoryClient(caller),
		Streams:   contract.NewFeedClient(caller),
		Calls:     contract.NewBackClient(caller),
		End:       end,
	}
	return client{joined, contract.NewDirectoryStarter(caller)}
}

func (c client) StartAdd(ctx context.Context, a, b int64) (wait func() (int64, error)) {
	return c.starter.Add(ctx, a, b)
}

func newServer(opts ...tenon.Option) *tenon.Server {
	srv := tenon.NewServer(opts...)
	contract.RegisterDirectory(srv, contract.Local{})
	contract.RegisterFeed(srv, contract.Local{})
	contract.RegisterBack(srv, back{})
	return srv
}

// newBack makes what the handlers call.
func newBack() *tenon.Server {
	srv := tenon.NewServer()
	contract.RegisterDirectory(srv, contract.Local{})
	return srv
}

type back struct{}

func (back) AddBack(ctx context.Context, a, b int64) (int64, error) {
	return contract.NewDirectoryClient(tenon.ConnFrom(ctx)).Add(ctx, a, b)
}

func (back) AddWith(ctx context.Context, a, b int64, add func(ctx context.Context, a, b int64) (int64, error)) (int64, error) {
	return add(ctx, a, b)
}

type overTCP struct{}

func (overTCP) Info() peer.Info {
	return peer.Info{Name: "tenon tcp", About: "server over TCP, loopback", Kind: peer.Ours, Program: "tenon", MaxUpload: peer.AnySize, Streams: true, Unread: true}
}

func (p overTCP) Start(ctx context.Context) (peer.Client, error) {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	address := listener.Addr().String()
	server, err := peer.StartOnListener(p, listener)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	stream, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		server.Close()
		return nil, err
	}
	conn := tenon.NewConn(ctx, iolink.New(stream), newBack())
	return newClient(conn, func() error {
		conn.Close()
		return server.Close()
	}), nil
}

func (overTCP) Serve() error {
	listener, err := peer.InheritedListener()
	if err != nil {
		return err
	}
	stream, err := listener.Accept()
	if err != nil {
		return err
	}
	return newServer().ServeLink(context.Background(), iolink.New(stream))
}

type withinProcess struct{}

func (withinProcess) Info() peer.Info {
	return peer.Info{Name: "tenon inproc", About: "two goroutines of one process", Kind: peer.Ours, MaxUpload: peer.AnySize, Streams: true, Unread: true}
}

func (withinProcess) Start(ctx context.Context) (peer.Client, error) {
	near, far := inproc.Pair()
	served := make(chan error, 1)
	go func() { served <- newServer().ServeLink(ctx, far) }()
	conn := tenon.NewConn(ctx, near, newBack())
	return newClient(conn, func() error {
		conn.Close()
		return <-served
	}), nil
}
