package tenon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tenon-go/tenon/internal/call"
)

// A Conn is one connection over a [Link]. It is the same on both ends: each may
// serve and call. All its methods may be called from any goroutine.
//
// A Conn owns its link and three goroutines, and keeps up to 64 more that have run
// handlers for the next ones. Who waits for an answer reads the link itself where the
// link allows it; see ARCHITECTURE.md for the roles.
type Conn struct {
	options
	base    context.Context // of handlers; its end closes the connection
	session *session
	epoch   uint32 // counts the connections of the session
	link    DirectLink
	kind    string
	sender  *sender
	outbox  *outbox
	reader  *reader
	gate    *gate
	who     identity // of the peer

	pending *pendingCalls // calls we made
	served  *servedCalls  // calls we serve
	runners *runners      // the goroutines that run their handlers
	scope   scope         // what services keep for this connection
	pings   pings         // of ours
	spare   spare         // credit for streams beyond what each has
	peer    *peerMethods  // what the other side offers

	running context.Context // ends when the connection does
	stop    context.CancelFunc
	unsound atomic.Bool // sending has failed
	ending  sync.Once
	over    chan struct{}  // closed when the end begins
	err     error          // why; valid after over is closed
	failed  *Error         // the same as the error of a call
	done    chan struct{}  // closed when nothing of the connection is left
	work    sync.WaitGroup // our goroutines
}

// NewConn starts a connection over link, which it owns from now on. back holds
// the services that the other side may call, and may be nil. When ctx ends, so
// does the connection; the errors of open calls name and wrap the cause that ctx
// was given (context.WithCancelCause). Handlers get contexts with ctx's values.
//
// It does not wait for the other side: the first call does. A link carries one
// connection at a time; a second one ends at once, with [ErrLinkInUse].
func NewConn(ctx context.Context, link Link, back *Server, opts ...Option) *Conn {
	return newConn(ctx, newSession(link), back, back.guarding(opts)...)
}

// newConn starts the next connection of a session.
func newConn(ctx context.Context, s *session, back *Server, opts ...Option) *Conn {
	c := &Conn{
		options: newOptions(opts),
		base:    ctx,
		session: s,
		epoch:   s.epoch,
		link:    s.link,
		kind:    s.kind,
		pending: newPendingCalls(),
		served:  newServedCalls(back),
		runners: &runners{jobs: make(chan *servedCall)},
		peer:    newPeerMethods(),
		scope:   scope{closed: make(chan struct{})},
		over:    make(chan struct{}),
		done:    make(chan struct{}),
	}
	c.running, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	c.outbox = newOutbox(c.limits.Calls)
	c.gate = newGate(&c.options)
	c.who = identityOf(s.link)
	c.options.peer = cmp.Or(c.options.peer, addressOf(s.link), c.who.name())
	c.spare.left.Store(spareCredit)
	s.epoch++
	s.conn = c
	c.sender = newSender(s.link, c.pending, c.running.Done())
	c.reader = newReader(c)
	c.pending.reader = c.reader
	c.sender.enter, c.sender.waiting = c.reader.enter, &c.reader.waiting
	c.sender.later = time.AfterFunc(time.Hour, c.outbox.flush)
	c.sender.later.Stop()
	if back != nil && !back.track(c) {
		// No hello goes out, so that the peer sends no call that would be lost.
		c.gate = &gate{open: make(chan struct{})}
		defer c.end(ErrServerClosed)
	}
	c.work.Go(func() {
		if err := c.runOutbox(); err != nil {
			c.sendFailed(err)
		}
	})
	c.work.Add(1)
	c.reader.startBase()
	if c.refused != nil {
		c.refuse(PermissionDenied, c.refused)
	}
	unwatch := context.AfterFunc(ctx, func() { c.end(closedBy(ctx)) })
	go func() {
		<-c.running.Done()
		unwatch()
		c.sender.later.Stop()
		c.work.Wait()
		if back != nil {
			back.ended(c)
		}
		close(c.done)
		_, drained := c.served.drain()
		<-drained
		c.scope.close(c.logger)
		if back != nil {
			back.forget(c)
		}
	}()
	return c
}

// closedBy is why a connection ends whose context did.
func closedBy(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return closedFor{cause}
	}
	return net.ErrClosed
}

// closedFor is net.ErrClosed with the cause that the context was given.
type closedFor struct{ cause error }

func (e closedFor) Error() string {
	return "the connection was closed on this side: " + e.cause.Error()
}
func (e closedFor) Unwrap() []error { return []error{net.ErrClosed, e.cause} }

func kindOf(link Link) string {
	if k, ok := link.(interface{ Kind() string }); ok {
		return k.Kind()
	}
	return fmt.Sprintf("%T", link)
}

// Kind names the kind of the link: "shm", "unix", "tcp", "pipe", "inproc", or
// the type of an own one.
func (c *Conn) Kind() string { return c.kind }

// greeted reports whether the other side has said hello.
func (c *Conn) greeted() bool { return c.peer.received.Load() }

// isOver reports whether the connection takes no more calls of ours.
func (c *Conn) isOver() bool { return c.pending.isOver() }

// Close ends the connection: open calls fail, contexts of running handlers end,
// the link is closed. It waits for the connection's goroutines, not for the
// handlers. One-way calls of a moment ago may not be handled, or be cut short.
func (c *Conn) Close() error {
	c.end(net.ErrClosed)
	<-c.done
	return nil
}

// Shutdown ends the connection in order: it takes no more calls, and tells the
// other side that those it has not accepted are safe to retry elsewhere; it
// waits until every handler has answered, and the other side's handlers of one-way
// calls too, which cannot call back any more; then it closes, and waits for the connection's own services (see
// [PerConn]). When ctx ends first it closes at once and returns ctx's error.
func (c *Conn) Shutdown(ctx context.Context) error {
	last, drained := c.served.drain()
	said := c.outbox.farewell(last, nil)
	heard := make(chan struct{})
	go func() {
		select {
		case <-drained: // handlers may make such calls
			c.pending.shut(&Error{Code: Unavailable, Message: "this side is shutting down", SafeToRetry: true})
			c.pending.waitOneWay(c.done)
		case <-c.done:
		}
		close(heard)
	}()
	for _, step := range []<-chan struct{}{said, drained, heard} {
		select {
		case <-step:
		case <-c.done:
		case <-ctx.Done():
			c.Close()
			return ctx.Err()
		}
	}
	c.sender.flushAll(ctx) // answers that were to go out with others
	c.Close()
	select {
	case <-c.scope.closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Peer names the other side as errors do: what [WithPeerName] said, or else its
// address, or else its process ("pid 4711"). It is empty if none is known.
func (c *Conn) Peer() string { return c.options.peer }

// Done is closed when the connection has ended and every call is settled.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns nil while the connection lives, then why it ended: net.ErrClosed
// after Close on this side, io.EOF when the other side closed it, or what went
// wrong.
func (c *Conn) Err() error {
	if isClosed(c.over) {
		return c.err
	}
	return nil
}

// endAfterSend is how long the reader has to find the end of the link once
// sending has failed.
const endAfterSend = 500 * time.Millisecond

// sendFailed is called when the link takes no more. What the peer sent before
// that counts first, above all its answers and its bye: the reader comes to the
// end of the link by itself, and only if it does not the connection ends here.
func (c *Conn) sendFailed(err error) {
	if link, ok := errors.AsType[linkError](err); ok {
		err = link.error
	}
	if c.unsound.CompareAndSwap(false, true) {
		late := time.AfterFunc(endAfterSend, func() { c.end(err) })
		context.AfterFunc(c.running, func() { late.Stop() })
	}
}

// end ends the connection once, for the first reason given. It does not wait.
func (c *Conn) end(reason error) {
	c.ending.Do(func() {
		c.work.Go(func() {
			defer c.stop()
			own := errors.Is(reason, net.ErrClosed)
			if c.cause != nil && !own && reason != errDetached {
				reason = c.cause(reason)
			}
			failure := &Error{Code: Unavailable, Message: "the connection ended: " + reason.Error(), cause: reason}
			switch because := (closedFor{}); {
			case errors.As(reason, &because):
				failure.Message = because.Error()
			case own:
				failure.Message = "the connection was closed on this side"
			case reason == io.EOF:
				failure.Message = "the other side closed the connection"
			}
			c.err, c.failed = reason, failure
			close(c.over)
			c.peer.end(failure)
			for _, open := range c.pending.end(failure) {
				conclude(nil, open, call.Outcome{Err: failure})
			}
			// The link first: what handlers answer to the end of their context
			// is not what the peer's callers should see.
			if reason == errDetached {
				c.link.InterruptRecv() // the base reader, which has nothing to read any more
			} else {
				c.session.close()
			}
			c.reader.rouse()    // so that the base reader finds the end
			c.reader.dislodge() // Close waits for it, and not for a handler
			c.served.cancelAll()
		})
	})
}
