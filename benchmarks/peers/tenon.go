package peers

import (
	"context"
	"net"
	"os"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/benchmarks/contract"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/iolink"
	"github.com/tenon-go/tenon/worker"
)

// Ours: generated code and default options, as an application has it.
var (
	tenonSharedMemory = tenonWorker{"tenon shm", "worker over shared memory", worker.SharedMemory, nil}
	tenonSleeping     = tenonWorker{"tenon shm sleeping", "the same with WithPolling(0)", worker.SharedMemory, []tenon.Option{tenon.WithPolling(0)}}
	tenonUnix         = tenonWorker{"tenon unix", "worker over a Unix socket", worker.UnixSocket, nil}
	tenonPipe         = tenonWorker{"tenon pipe", "worker over two pipes", worker.Pipe, nil}
)

// tenonWorker is a worker over one kind of link. The options are those of both
// sides.
type tenonWorker struct {
	name, about string
	link        worker.Link
	options     []tenon.Option
}

func (p tenonWorker) Info() Info {
	return Info{Name: p.name, About: p.about, Kind: Ours, MaxUpload: anySize}
}

func (p tenonWorker) Start(ctx context.Context) (Client, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	w, err := worker.Start(ctx, worker.Program(self, serveArg, p.name), worker.Over(p.link), worker.Conn(p.options...))
	if err != nil {
		return nil, err
	}
	return client{Directory: contract.NewDirectoryClient(w), close: w.Close}, nil
}

func (p tenonWorker) Serve() error {
	return worker.Serve(context.Background(), newTenonServer(p.options...))
}

func newTenonServer(opts ...tenon.Option) *tenon.Server {
	srv := tenon.NewServer(opts...)
	contract.RegisterDirectory(srv, contract.Local{})
	return srv
}

type tenonTCP struct{}

func (tenonTCP) Info() Info {
	return Info{Name: "tenon tcp", About: "server over TCP, loopback", Kind: Ours, MaxUpload: anySize}
}

func (p tenonTCP) Start(ctx context.Context) (Client, error) {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	address := listener.Addr().String()
	server, err := startOnListener(p, listener)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	stream, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		server.Close()
		return nil, err
	}
	conn := tenon.NewConn(ctx, iolink.New(stream), nil)
	return client{
		Directory: contract.NewDirectoryClient(conn),
		close: func() error {
			conn.Close()
			return server.Close()
		},
	}, nil
}

func (tenonTCP) Serve() error {
	listener, err := inheritedListener()
	if err != nil {
		return err
	}
	stream, err := listener.Accept()
	if err != nil {
		return err
	}
	return newTenonServer().ServeLink(context.Background(), iolink.New(stream))
}

type tenonInproc struct{}

func (tenonInproc) Info() Info {
	return Info{Name: "tenon inproc", About: "two goroutines of one process", Kind: Ours, MaxUpload: anySize}
}

func (tenonInproc) Start(ctx context.Context) (Client, error) {
	near, far := inproc.Pair()
	served := make(chan error, 1)
	go func() { served <- newTenonServer().ServeLink(ctx, far) }()
	conn := tenon.NewConn(ctx, near, nil)
	return client{
		Directory: contract.NewDirectoryClient(conn),
		close: func() error {
			conn.Close()
			return <-served
		},
	}, nil
}
