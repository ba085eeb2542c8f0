package tenon

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime/debug"
	"time"
)

// An attempt is one try to connect, for all calls that wait for it. It has a
// goroutine of its own, since a dial function may ignore its context.
type attempt struct {
	ctx     context.Context // of the pause and the dial
	cancel  context.CancelFunc
	waiting int // calls; the last one that gives up cancels; guarded by Client.mu

	done  chan struct{}
	conn  *Conn // these are valid after done
	err   error
	again bool // it came to nothing for no fault of the other side
}

// connect returns a living connection to a side that has said hello.
func (c *Client) connect(ctx context.Context) (*Conn, error) {
	for {
		conn, a, err := c.living()
		if a == nil {
			return conn, err
		}
		select {
		case <-a.done:
		case <-c.ctx.Done():
			return nil, net.ErrClosed
		case <-ctx.Done():
			return nil, c.giveUp(a, ctx.Err())
		}
		if !a.again {
			return a.conn, a.err
		}
	}
}

// living returns the connection, or else the attempt to wait for.
func (c *Client) living() (*Conn, *attempt, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.state == Closed:
		return nil, nil, net.ErrClosed
	case c.attempt == nil && c.conn != nil && !c.conn.isOver():
		return c.conn, nil, nil
	case c.attempt == nil:
		a := &attempt{done: make(chan struct{})}
		a.ctx, a.cancel = context.WithCancel(c.ctx)
		c.attempt = a
		go c.run(a)
	}
	c.attempt.waiting++
	return nil, c.attempt, nil
}

// giveUp is for a call whose context ended before it was connected. Its error
// tells what is known of the other side.
func (c *Client) giveUp(a *attempt, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.waiting--; a.waiting == 0 {
		a.cancel()
	}
	e := contextError(err)
	switch {
	case c.failures > 0:
		e.Message = fmt.Sprintf("%v; before that, connecting failed%s: %v", err, inARow(c.failures), c.why)
		e.cause = errors.Join(err, c.why)
	case c.conn != nil:
		e.Message = fmt.Sprintf("%v: connected, but the other side has not said hello", err)
	case c.session == nil:
		e.Message = fmt.Sprintf("%v while connecting", err)
	}
	return e
}

// run makes the attempt.
func (c *Client) run(a *attempt) {
	defer a.cancel()
	conn, err := c.open(a)
	if conn != nil {
		<-conn.peer.ready
		err = helloOf(conn)
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(a.done)
	c.attempt = nil
	switch {
	case c.state == Closed:
		a.err = net.ErrClosed
	case err == nil:
		a.conn = conn
		c.failures, c.next, c.why = 0, time.Time{}, nil
		c.become(Connected, nil)
	case conn == nil && a.ctx.Err() != nil, errors.Is(err, net.ErrClosed):
		a.again = true // nobody waited any more, or Disconnect came between
		if c.state != Pausing {
			c.become(Idle, err)
		}
	case err == errLinkEnded, err == ErrLinkInUse:
		a.err = err
		c.become(Idle, err)
	default:
		c.fail(err)
		a.err = fmt.Errorf("connecting failed%s: %w", inARow(c.failures), err)
	}
}

// open waits until an attempt is due, dials, and begins a connection. When the
// client was closed meanwhile, nothing is left of it.
func (c *Client) open(a *attempt) (*Conn, error) {
	c.mu.Lock()
	left := time.Until(c.next)
	if left > 0 {
		c.become(Pausing, nil)
	}
	c.mu.Unlock()
	if left > 0 {
		timer := time.NewTimer(left)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-a.ctx.Done():
			return nil, a.ctx.Err()
		}
	}
	c.mu.Lock()
	c.become(Connecting, nil)
	c.mu.Unlock()

	link, err := c.link(a.ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == Closed {
		if link != nil {
			link.Close()
		}
		return nil, net.ErrClosed
	}
	if link == nil {
		c.conn = newConn(c.ctx, c.session, c.back, c.back.guarding(c.opts)...)
	} else {
		c.conn = NewConn(c.ctx, link, c.back, c.opts...)
		c.address = addressOf(link)
	}
	return c.conn, nil
}

// link makes the link of the next connection: nil if that is the session's.
func (c *Client) link(ctx context.Context) (Link, error) {
	if c.session != nil {
		return nil, c.session.free(ctx)
	}
	link, err := c.dialSafely(ctx)
	if err == nil && link == nil {
		err = errors.New("the function given to NewClient returned neither a link nor an error")
	}
	return link, err
}

// dialSafely makes a panic of the user's function an error of the calls that
// wait, which could not recover it.
func (c *Client) dialSafely(ctx context.Context) (link Link, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the function given to NewClient panicked: %v", p)
			newOptions(c.opts).logger.Error("tenon: the function given to NewClient panicked", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	return c.dial(ctx)
}

// helloOf is nil once the two sides have greeted each other, else why they have
// not.
func helloOf(conn *Conn) error {
	err := conn.peer.unmet()
	switch {
	case err == nil:
		return nil
	case err.Code != Unavailable || errors.Is(err, net.ErrClosed) || errors.Is(err, ErrLinkInUse) || conn.greeted():
		return err
	}
	return noHello{err}
}

// noHello is the end of a connection over which the other side has said nothing
// that makes sense.
type noHello struct{ end *Error }

func (e noHello) Error() string {
	return e.end.Message + " (no hello came: is it a tenon server, and TLS on both sides or on none?)"
}
func (e noHello) Unwrap() error { return e.end.cause }

// fail notes a failed attempt. c.mu is held.
func (c *Client) fail(err error) {
	c.failures++
	c.why = err
	pause := min(firstPause<<min(c.failures-1, 10), longPause)
	c.next = time.Now().Add(pause/2 + rand.N(pause))
	c.become(Idle, err)
}

// putOff has the next attempt come after a pause, as after one that failed.
func (c *Client) putOff(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil && c.attempt == nil {
		c.fail(err)
	}
}

func inARow(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" %d times in a row", n)
}

// addressOf is where the other end of a link is, if that is known: "tcp:[::1]:7000".
func addressOf(link Link) string {
	l, ok := link.(interface{ RemoteAddr() net.Addr })
	if !ok {
		return ""
	}
	addr := l.RemoteAddr()
	if addr == nil || addr.String() == "" || addr.String() == "@" {
		return ""
	}
	return addr.Network() + ":" + addr.String()
}
