package tenon

import (
	"context"
	"errors"
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
	closer sync.Once

	mu       sync.Mutex
	state    ClientState
	conn     *Conn
	attempt  *attempt  // nil: nobody connects
	address  string    // of the latest link, if it knows
	failures int       // attempts that failed in a row
	why      error     // the last one did
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
// those of [NewConn]. It does not connect yet. When dial fails, or the other side
// ends the connection before it has said hello, the next attempt comes after a
// pause that doubles from 50 ms to 5 s and varies by chance; a call waits for it,
// as long as its context allows, and fails if the attempt does, or the second one
// in the case of a hello that did not come.
//
// dial runs on a goroutine of its own, once at a time, with a context that ends
// when no call waits for it any more or the client is closed. A dial that goes on
// nevertheless holds nobody up: the next call takes the link that it returns, and
// a closed client closes it.
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
		observe: newOptions(opts).observe,
	}
}

// Invoke carries one call out, connecting first if need be. A call that did not
// run because the connection had just ended is made again over a new one.
func (c *Client) Invoke(ctx context.Context, open *call.Call) error {
	for lost := 0; ; lost++ {
		conn, err := c.connect(ctx)
		if _, silent := errors.AsType[noHello](err); silent && lost == 0 {
			continue // a server that is ending does this to those who come late
		}
		if err != nil {
			return c.explain(ctx, err, open.Method.Name)
		}
		err = conn.Invoke(ctx, open)
		var e *Error
		if err == nil || !errors.As(err, &e) || e.Code != Unavailable || !e.SafeToRetry || open.Spent {
			return err
		}
		c.lost(conn, err)
		if lost > 0 { // a peer that always hangs up is not to be asked without end
			c.putOff(err)
		}
	}
}

// explain is the error of a call for which there was no connection.
func (c *Client) explain(ctx context.Context, err error, method string) error {
	o := newOptions(c.opts)
	if o.peer == "" {
		c.mu.Lock()
		o.peer = c.address
		c.mu.Unlock()
	}
	return (&Conn{options: o}).explain(ctx, unsent(err), method)
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

// Close closes the connection, if there is one. Later calls fail. It does not
// wait for a dial function that goes on although its context has ended.
func (c *Client) Close() error {
	c.closer.Do(func() {
		c.cancel()
		c.mu.Lock()
		conn, a := c.conn, c.attempt
		c.conn = nil
		c.become(Closed, nil)
		c.mu.Unlock()
		if conn != nil {
			conn.Close()
		}
		if c.session == nil {
			return
		}
		if a != nil {
			<-a.done // it has nothing to dial
		}
		if last := c.session.conn; last != nil {
			<-last.done
		}
		if !c.session.over {
			c.session.close() // the last connection has left it open
		}
	})
	return nil
}

// lost forgets a connection that takes no more calls.
func (c *Client) lost(conn *Conn, err error) {
	if c.leave(conn, err) && c.session == nil { // else the link lives on, or the peer closes it
		go func() { // what it has accepted is still answered
			if conn.pending.wait(conn.done) {
				conn.Close()
			}
		}()
	}
}

// leave has later calls connect anew, and reports whether they would have used conn.
func (c *Client) leave(conn *Conn, err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != conn {
		return false
	}
	c.conn = nil
	c.become(Idle, err)
	return true
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
