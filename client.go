package tenon

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/tenon-go/tenon/internal/call"
)

// A ClientState is what a [Client] is doing.
type ClientState int

const (
	Idle       ClientState = iota // not connected; the next call connects
	Connecting                    // a call waits for the connection
	Connected
	Pausing // connecting failed; a call waits before the next attempt
	Closed
)

func (s ClientState) String() string {
	return [...]string{"idle", "connecting", "connected", "pausing", "closed"}[s]
}

// A Client is a caller that connects at its first call, and again at the next
// call after a connection was lost. Generated clients call through it as through
// a [Conn]. All its methods may be called from any goroutine.
type Client struct {
	dial    func(context.Context) (Link, error)
	session *session // instead of dial: all connections run over one link
	back    *Server
	opts    []Option

	ctx    context.Context // of all connections
	cancel context.CancelFunc
	turn   chan struct{} // held by whoever connects

	mu       sync.Mutex
	state    ClientState
	conn     *Conn
	failures int       // attempts that failed in a row
	next     time.Time // no attempt before
	observe  func(ClientState, error)
}

// WithStateFunc has f called at every change of a Client's state, with what went
// wrong if something did. It is called in order and must not call the client.
func WithStateFunc(f func(ClientState, error)) Option {
	return func(o *options) { o.observe = f }
}

const (
	firstPause = 50 * time.Millisecond
	longPause  = 5 * time.Second
)

// NewClient returns a client that makes its links with dial; back and opts are
// those of [NewConn]. It does not connect yet. When dial fails, the next attempt
// comes after a pause that doubles from 50 ms to 5 s and varies by chance; a call
// waits for it, as long as its context allows, and fails if the attempt does.
func NewClient(dial func(context.Context) (Link, error), back *Server, opts ...Option) *Client {
	if dial == nil {
		panic("tenon: NewClient needs a function that makes links; for a link that exists there is NewClientOver")
	}
	c := newClient(back, opts)
	c.dial = dial
	return c
}

func newClient(back *Server, opts []Option) *Client {
	ctx, cancel := context.WithCancel(context.Background())
	return &Client{
		back: back, opts: opts, ctx: ctx, cancel: cancel,
		turn: make(chan struct{}, 1), observe: newOptions(opts).observe,
	}
}

// Invoke carries one call out, connecting first if need be. A call that did not
// run because the connection had just ended is made again over a new one.
func (c *Client) Invoke(ctx context.Context, open *call.Call) error {
	for {
		conn, err := c.connect(ctx)
		if err != nil {
			return (&Conn{options: newOptions(c.opts)}).explain(unsent(err), open.Method.Name)
		}
		err = conn.Invoke(ctx, open)
		var e *Error
		if err == nil || !errors.As(err, &e) || e.Code != Unavailable || !e.SafeToRetry {
			return err
		}
		c.lost(conn, err)
	}
}

// Conn connects if need be and returns the connection.
func (c *Client) Conn(ctx context.Context) (*Conn, error) { return c.connect(ctx) }

// Done is closed when the client was closed. It makes a client a member of a
// pool.
func (c *Client) Done() <-chan struct{} { return c.ctx.Done() }

// State returns what the client is doing.
func (c *Client) State() ClientState {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == Connected && c.conn.isOver() {
		return Idle
	}
	return c.state
}

// Close closes the connection, if there is one. Later calls fail.
func (c *Client) Close() error {
	c.cancel()
	c.mu.Lock()
	conn := c.conn
	c.conn = nil
	c.become(Closed, nil)
	c.mu.Unlock()
	if conn != nil {
		conn.Close()
	}
	if c.session != nil {
		c.turn <- struct{}{} // nobody connects any more
		defer func() { <-c.turn }()
		if last := c.session.conn; last != nil {
			<-last.done
		}
		if !c.session.over {
			c.session.close() // the last connection has left it open
		}
	}
	return nil
}

// connect returns a living connection. One caller makes it, the others wait.
func (c *Client) connect(ctx context.Context) (*Conn, error) {
	if conn, err := c.living(); conn != nil || err != nil {
		return conn, err
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.ctx.Done():
		return nil, net.ErrClosed
	}
	if conn, err := c.living(); conn != nil || err != nil {
		return conn, err
	}
	if err := c.pause(ctx); err != nil {
		return nil, err
	}
	return c.attempt(ctx)
}

func (c *Client) living() (*Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.state == Closed:
		return nil, net.ErrClosed
	case c.conn != nil && !c.conn.isOver():
		return c.conn, nil
	}
	return nil, nil
}

// pause waits until the next attempt is due.
func (c *Client) pause(ctx context.Context) error {
	c.mu.Lock()
	left := time.Until(c.next)
	if left > 0 {
		c.become(Pausing, nil)
	}
	c.mu.Unlock()
	if left <= 0 {
		return nil
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.ctx.Done():
		return net.ErrClosed
	}
}

func (c *Client) attempt(ctx context.Context) (*Conn, error) {
	c.mu.Lock()
	c.become(Connecting, nil)
	c.mu.Unlock()
	dialing, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	conn, err := c.join(dialing)

	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.state == Closed:
		if err == nil {
			go conn.Close()
		}
		return nil, net.ErrClosed
	case err == errLinkEnded:
		c.become(Idle, err)
		return nil, err
	case err != nil && ctx.Err() != nil:
		c.become(Idle, err)
		return nil, ctx.Err()
	case err != nil:
		c.failures++
		pause := min(firstPause<<min(c.failures-1, 10), longPause)
		c.next = time.Now().Add(pause/2 + rand.N(pause))
		c.become(Idle, err)
		return nil, fmt.Errorf("connecting failed %d times in a row: %w", c.failures, err)
	}
	c.failures, c.next = 0, time.Time{}
	c.conn = conn
	c.become(Connected, nil)
	return c.conn, nil
}

// join makes a connection, over the client's link or a new one.
func (c *Client) join(ctx context.Context) (*Conn, error) {
	if c.session != nil {
		return c.rejoin(ctx)
	}
	link, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	if link == nil {
		return nil, errors.New("the function given to NewClient returned neither a link nor an error")
	}
	return NewConn(c.ctx, link, c.back, c.opts...), nil
}

// lost forgets a connection that takes no more calls.
func (c *Client) lost(conn *Conn, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == conn {
		c.conn = nil
		c.become(Idle, err)
		if c.session != nil {
			return // the link lives on, or the peer closes it
		}
		go func() { // what it has accepted is still answered
			if conn.pending.wait(conn.done) {
				conn.Close()
			}
		}()
	}
}

// become changes the state and tells. The caller holds the lock.
func (c *Client) become(s ClientState, err error) {
	if c.state == Closed || c.state == s {
		return
	}
	c.state = s
	if c.observe != nil {
		c.observe(s, err)
	}
}
