package linknet

import (
	"io"
	"net"
	"sync"
	"sync/atomic"

	"github.com/tenon-go/tenon"
)

// Listen returns a listener for links that exist already, which belong to it
// from now on. Its Accept hands out one connection for each; when all of them
// have been closed it returns io.EOF, and http.Serve with it: a child process
// that serves its parent ends when the parent does.
//
// Close closes the links that were not accepted.
func Listen(links ...tenon.Link) net.Listener {
	l := &linkListener{
		waiting: make(chan tenon.Link, len(links)),
		ended:   make(chan struct{}),
		closed:  make(chan struct{}),
	}
	for _, link := range links {
		l.addr = addrOf(link)
		l.waiting <- link
	}
	l.open.Store(int32(len(links)) + 1)
	l.connClosed()
	return l
}

type linkListener struct {
	addr    Addr
	waiting chan tenon.Link
	open    atomic.Int32  // connections that are not closed
	ended   chan struct{} // closed when there are none
	closed  chan struct{}
	closing sync.Once
}

func (l *linkListener) Accept() (net.Conn, error) {
	if l.isClosed() {
		return nil, acceptError(l.addr, net.ErrClosed)
	}
	select {
	case link := <-l.waiting:
		conn := NewConn(link)
		conn.onClose = l.connClosed
		return conn, nil
	case <-l.closed:
		return nil, acceptError(l.addr, net.ErrClosed)
	case <-l.ended:
		return nil, io.EOF
	}
}

func (l *linkListener) connClosed() {
	if l.open.Add(-1) == 0 {
		close(l.ended)
	}
}

func (l *linkListener) Close() error {
	l.closing.Do(func() { close(l.closed) })
	for {
		select {
		case link := <-l.waiting:
			link.Close()
		default:
			return nil
		}
	}
}

func (l *linkListener) Addr() net.Addr { return l.addr }

func (l *linkListener) isClosed() bool {
	select {
	case <-l.closed:
		return true
	default:
		return false
	}
}
