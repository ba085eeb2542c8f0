package tenon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"github.com/tenon-go/tenon/internal/call"
	"github.com/tenon-go/tenon/internal/pump"
	"github.com/tenon-go/tenon/internal/wire"
)

// A Conn is one connection over a [Link]. It is the same on both ends: each may
// serve and call. All its methods may be called from any goroutine.
//
// A Conn owns its link and three goroutines. Who waits for an answer reads the
// link itself where the link allows it; see ARCHITECTURE.md for the roles.
type Conn struct {
	options
	base   context.Context // of handlers; its end closes the connection
	link   DirectLink
	kind   string
	sender *sender
	outbox *outbox
	reader *reader

	pending *pendingCalls // calls we made
	served  *servedCalls  // calls we serve
	runners *runners      // the goroutines that run their handlers
	peer    *peerMethods  // what the other side offers

	running context.Context // ends when the connection does
	stop    context.CancelFunc
	ending  sync.Once
	ended   atomic.Bool
	err     error  // why; valid after done is closed
	failed  *Error // the same as the error of a call
	done    chan struct{}
	work    sync.WaitGroup // our goroutines
}

// NewConn starts a connection over link, which it owns from now on. back holds
// the services that the other side may call, and may be nil. Services must be
// registered before. When ctx ends, so does the connection; handlers get
// contexts with ctx's values.
//
// It does not wait for the other side: the first call does.
func NewConn(ctx context.Context, link Link, back *Server, opts ...Option) *Conn {
	direct, ok := link.(DirectLink)
	if !ok {
		direct = pump.New(link)
	}
	c := &Conn{
		options: newOptions(opts),
		base:    ctx,
		link:    direct,
		kind:    kindOf(link),
		sender:  newSender(direct),
		outbox:  newOutbox(),
		pending: newPendingCalls(),
		served:  newServedCalls(back),
		runners: &runners{jobs: make(chan *servedCall)},
		peer:    newPeerMethods(),
		done:    make(chan struct{}),
	}
	c.running, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	c.reader = newReader(c)
	hello := wire.Greeting{Limits: c.limits, Methods: c.served.methods()}
	c.work.Go(func() {
		if err := c.outbox.run(c.running, c.sender, hello, c.peer.greetingDone); err != nil {
			c.end(err)
		}
	})
	c.work.Go(c.reader.run)
	unwatch := context.AfterFunc(ctx, func() { c.Close() })
	go func() {
		<-c.running.Done()
		unwatch()
		c.work.Wait()
		close(c.done)
	}()
	return c
}

func kindOf(link Link) string {
	if k, ok := link.(interface{ Kind() string }); ok {
		return k.Kind()
	}
	return fmt.Sprintf("%T", link)
}

// Kind names the kind of the link: "shm", "unix", "tcp", "pipe", "inproc", or
// the type of an own one.
func (c *Conn) Kind() string { return c.kind }

// Close ends the connection: open calls fail, contexts of running handlers end,
// the link is closed. It waits for the connection's goroutines, not for the
// handlers.
func (c *Conn) Close() error {
	c.end(net.ErrClosed)
	<-c.done
	return nil
}

// Done is closed when the connection has ended and every call is settled.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns nil while the connection lives, then why it ended: net.ErrClosed
// after Close on this side, io.EOF when the other side closed it, or what went
// wrong.
func (c *Conn) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

// end ends the connection once, for the first reason given. It does not wait.
func (c *Conn) end(reason error) {
	c.ending.Do(func() {
		c.ended.Store(true)
		c.work.Go(func() {
			defer c.stop()
			orderly := errors.Is(reason, net.ErrClosed) || errors.Is(reason, io.EOF)
			if c.cause != nil && !errors.Is(reason, net.ErrClosed) {
				reason = c.cause(reason)
			}
			c.err = reason
			failure := &Error{Code: Unavailable, Message: "the connection ended: " + reason.Error(), Peer: c.options.peer, cause: reason}
			if orderly && errors.Is(reason, net.ErrClosed) {
				failure.Message = "the connection was closed"
			}
			c.failed = failure
			c.peer.end(failure)
			for _, open := range c.pending.end(failure) {
				if open != nil {
					settle(open, call.Outcome{Err: failure})
				}
			}
			// The link first: what handlers answer to the end of their context
			// is not what the peer's callers should see.
			c.link.Close()
			c.served.cancelAll()
		})
	})
}
