package linknet

import (
	"context"
	"net"
	"sync"

	"github.com/tenon-go/tenon"
)

// A Source is where the links of a listener come from. The listener of package
// shm is one.
type Source[L tenon.Link] interface {
	// Accept waits for the next link until ctx ends. Any number of goroutines
	// may call it. An error ends http.Serve, and gRPC's Serve, unless it has a
	// method Temporary that says true.
	Accept(ctx context.Context) (L, error)
	Close() error
	Addr() net.Addr
}

// NewListener returns a listener whose connections run over the links that
// source accepts. The source belongs to it from now on: Close closes it.
func NewListener[L tenon.Link](source Source[L]) net.Listener {
	l := &listener{
		accept: func(ctx context.Context) (tenon.Link, error) { return source.Accept(ctx) },
		addr:   source.Addr(),
		close:  sync.OnceValue(source.Close),
	}
	l.running, l.stop = context.WithCancel(context.Background())
	return l
}

type listener struct {
	accept  func(context.Context) (tenon.Link, error)
	addr    net.Addr
	close   func() error
	running context.Context // until Close
	stop    context.CancelFunc
}

func (l *listener) Accept() (net.Conn, error) {
	if l.running.Err() != nil {
		return nil, acceptError(l.addr, net.ErrClosed)
	}
	link, err := l.accept(l.running)
	switch {
	case err == nil && l.running.Err() == nil:
		return NewConn(link), nil
	case err == nil:
		link.Close() // it came too late
		err = net.ErrClosed
	case l.running.Err() != nil:
		err = net.ErrClosed
	}
	return nil, acceptError(l.addr, err)
}

func (l *listener) Close() error {
	l.stop()
	return l.close()
}

func (l *listener) Addr() net.Addr { return l.addr }

func acceptError(addr net.Addr, err error) error {
	return &net.OpError{Op: "accept", Net: addr.Network(), Addr: addr, Err: err}
}
