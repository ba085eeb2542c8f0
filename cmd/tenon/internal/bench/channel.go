package bench

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"net"
	"runtime"
	"strings"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/cmd/tenon/internal/bench/contract"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/internal/machine"
	"github.com/tenon-go/tenon/iolink"
	"github.com/tenon-go/tenon/worker"
)

// A channel is one way to reach the other side.
type channel struct {
	name, about string
	missing     func() string // why this system lacks it, or ""
	open        func(ctx context.Context) (*side, error)
}

// channels are in the order of the report.
var channels = []channel{
	{"shm", "shared memory, polling", onLinux, overWorker(worker.SharedMemory)},
	{"shm-sleeping", "shared memory, never polling", onLinux, overWorker(worker.SharedMemory, worker.Polling(0))},
	{"inproc", "two goroutines of one process", anywhere, withinProcess},
	{"pipe", "two pipes", withWorkers, overWorker(worker.Pipe)},
	{"unix", "a Unix socket", withWorkers, overWorker(worker.UnixSocket)},
	{"tcp", "TCP, loopback", withWorkers, overTCP(false)},
	{"tls", "TLS over TCP, loopback", withWorkers, overTCP(true)},
}

// ChannelNames lists all channels for a person.
func ChannelNames() string {
	var names []string
	for _, c := range channels {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}

// leftOut says which of the channels this system lacks; nil stands for all.
func leftOut(chosen []string) []string {
	if chosen != nil {
		return nil // Check has refused those
	}
	var lines []string
	for _, c := range channels {
		if why := c.missing(); why != "" {
			lines = append(lines, c.name+" is left out: "+why)
		}
	}
	return lines
}

func anywhere() string { return "" }

func withWorkers() string {
	switch runtime.GOOS {
	case "linux", "darwin":
		return ""
	}
	return "tenon starts no other process on " + runtime.GOOS
}

func onLinux() string {
	if runtime.GOOS == "linux" {
		return ""
	}
	return "tenon has no shared memory on " + runtime.GOOS
}

// A side is the other side and the connection to it.
type side struct {
	caller  tenon.Caller
	bench   contract.Bench
	control contract.Control // nil where the other side is in this process
	close   func()
}

// usage is what both sides have used so far.
func (s *side) usage(ctx context.Context) (contract.Usage, error) {
	total := ownUsage()
	if s.control == nil {
		return total, nil
	}
	other, err := s.control.Usage(ctx)
	total.CPU += other.CPU
	total.Allocations += other.Allocations
	return total, err
}

func ownUsage() contract.Usage {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return contract.Usage{CPU: machine.CPU(), Allocations: m.Mallocs}
}

// overWorker calls this program, started again, over the worker's own
// connection.
func overWorker(link worker.Link, opts ...worker.Option) func(context.Context) (*side, error) {
	return func(ctx context.Context) (*side, error) {
		w, err := startWorker(ctx, link, opts...)
		if err != nil {
			return nil, err
		}
		return &side{
			caller: w, bench: contract.NewBenchClient(w), control: contract.NewControlClient(w),
			close: func() { end(ctx, w) },
		}, nil
	}
}

func startWorker(ctx context.Context, link worker.Link, opts ...worker.Option) (*worker.Worker, error) {
	opts = append([]worker.Option{worker.Name("the server"), worker.Over(link)}, opts...)
	return worker.Start(ctx, worker.Self(entry), opts...)
}

// end ends a worker in order, or at once where nobody waits for the figures any
// more.
func end(ctx context.Context, w *worker.Worker) {
	if ctx.Err() != nil {
		w.Kill()
	} else {
		_ = w.Close() // it has no state to lose
	}
}

func withinProcess(ctx context.Context) (*side, error) {
	near, far := inproc.Pair()
	srv := tenon.NewServer()
	contract.RegisterBench(srv, server{})
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = srv.ServeLink(ctx, far)
	}()
	conn := tenon.NewConn(ctx, near, nil)
	return &side{
		caller: conn, bench: contract.NewBenchClient(conn),
		close: func() {
			conn.Close()
			<-served
		},
	}, nil
}

// overTCP has a worker listen, and is told where over a connection that is idle
// while the other one is measured.
func overTCP(secure bool) func(context.Context) (*side, error) {
	return func(ctx context.Context) (*side, error) {
		w, err := startWorker(ctx, worker.UnixSocket)
		if err != nil {
			return nil, err
		}
		control := contract.NewControlClient(w)
		token := rand.Text()
		stream, err := dialTCP(ctx, control, secure, token)
		if err != nil {
			end(ctx, w)
			return nil, err
		}
		conn := tenon.NewConn(ctx, iolink.New(stream), nil, tenon.WithToken(token))
		return &side{
			caller: conn, bench: contract.NewBenchClient(conn), control: control,
			close: func() {
				conn.Close()
				end(ctx, w)
			},
		}, nil
	}
}

func dialTCP(ctx context.Context, control contract.Control, secure bool, token string) (net.Conn, error) {
	address, der, err := control.Listen(ctx, secure, token)
	if err != nil {
		return nil, err
	}
	if !secure {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", address)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	known := x509.NewCertPool()
	known.AddCert(certificate)
	d := tls.Dialer{Config: &tls.Config{RootCAs: known, ServerName: serverName}}
	return d.DialContext(ctx, "tcp", address)
}
