package tenon

import (
	"context"
	"errors"
	"reflect"
	"sync"

	"github.com/tenon-go/tenon/internal/pump"
	"github.com/tenon-go/tenon/internal/wire"
)

// A session is a link over which one connection after the other runs. Between
// two of them each side has sent a final bye and has read the other's.
type session struct {
	link  DirectLink
	kind  string
	epoch uint32 // of the next connection
	rest  []byte // what was read behind the final bye: the next connection's
	over  bool   // the link has ended
	key   any    // in linksInUse
	conn  *Conn  // the latest connection; the fields above are its own until it is done
}

// ErrLinkInUse ends a connection over a link that another one has: a link
// carries one at a time.
var ErrLinkInUse = errors.New("tenon: another connection runs over this link: it carries one at a time")

var linksInUse sync.Map

// newSession takes a link over. The connections over one that is taken already
// end at once.
func newSession(link Link) *session {
	if link == nil {
		panic("tenon: the link is nil; whatever made it returned an error, or nothing made it")
	}
	s := &session{kind: kindOf(link)}
	if reflect.TypeOf(link).Comparable() {
		if _, taken := linksInUse.LoadOrStore(link, true); taken {
			s.link = noLink{ErrLinkInUse}
			return s
		}
		s.key = link
	}
	direct, ok := link.(DirectLink)
	if !ok {
		direct = pump.New(link)
	}
	s.link = direct
	return s
}

// close ends the link.
func (s *session) close() {
	s.over = true
	s.link.Close()
	if s.key != nil {
		linksInUse.Delete(s.key)
	}
}

// errDetached ends a connection whose link lives on.
var errDetached = errors.New("tenon: the other side disconnected and may connect again")

// detach ends the connection in order, as Shutdown does, and leaves the link to
// the next one.
func (c *Conn) detach(ctx context.Context) error {
	last, drained := c.served.drain()
	said := c.outbox.farewell(last, nil)
	c.pending.shut(&Error{Code: Unavailable, Message: "this side is disconnecting", SafeToRetry: true})
	answered := make(chan struct{})
	go func() {
		c.pending.wait(c.done)
		close(answered)
	}()
	for _, step := range []<-chan struct{}{said, drained, answered} {
		select {
		case <-step:
		case <-c.done:
			return c.err
		case <-ctx.Done():
			c.Close()
			return ctx.Err()
		}
	}
	c.outbox.final()
	select {
	case <-c.done:
	case <-ctx.Done():
		c.Close()
		return ctx.Err()
	}
	if c.err != errDetached {
		return c.err
	}
	return nil
}

// detached acts on the peer's final bye, in the reader's role: nothing more is
// read, and our own is sent if it has not been.
func (r *reader) detached() error {
	r.detach = true
	r.conn.session.rest = r.splitter.Rest()
	sealed := r.conn.outbox.final()
	r.conn.work.Go(func() {
		select {
		case <-sealed:
			r.conn.end(errDetached)
		case <-r.conn.running.Done():
		}
	})
	return errDetached
}

// sealLink sends the final bye and keeps the writer's role for good.
func (c *Conn) sealLink(last uint32) error {
	if err := c.sender.acquire(c.running); err != nil {
		return err
	}
	err := c.sender.commitFrame(c.running, wire.Header{Kind: wire.Bye, Flags: wire.Final, Arg: last}, nil)
	if err == nil {
		err = c.sender.flush()
	}
	return err
}

// NewClientOver returns a client whose connections run over one link, one after
// the other: after Disconnect the next call begins a new one, for which the other
// side, if it is served by ServeLink, has fresh state. The client owns the link,
// also between two connections; when that ends, its calls fail for good. The calls
// of a client over a link that another one has, or a connection, fail with
// [ErrLinkInUse].
func NewClientOver(link Link, back *Server, opts ...Option) *Client {
	c := newClient(back, opts)
	c.session = newSession(link)
	c.address = addressOf(link)
	return c
}

// Disconnect ends the connection in order, if there is one: running calls of both
// sides are answered first. The next call connects again. When ctx ends before the other
// side has agreed, the connection is closed at once and ctx's error returned; a
// client over one link is over then, since its link is.
func (c *Client) Disconnect(ctx context.Context) error {
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	if conn == nil || conn.isOver() {
		return nil
	}
	if c.session != nil {
		defer c.lost(conn, nil)
		return conn.detach(ctx)
	}
	c.leave(conn, nil)
	if err := conn.waitForOwn(ctx); err != nil {
		return err
	}
	return conn.Shutdown(ctx)
}

// waitForOwn waits until the calls of this side are settled. When ctx ends first it
// closes the connection and returns ctx's error.
func (c *Conn) waitForOwn(ctx context.Context) error {
	settled := make(chan struct{})
	go func() {
		c.pending.wait(c.done)
		close(settled)
	}()
	select {
	case <-settled:
		return nil
	case <-ctx.Done():
		c.Close()
		return ctx.Err()
	}
}

// errLinkEnded is final: a client over one link has no other.
var errLinkEnded = errors.New("the link has ended, and this client has no other")

// free waits until the session's latest connection is done with the link, and
// says why there can be no other.
func (s *session) free(ctx context.Context) error {
	if s.conn != nil {
		select {
		case <-s.conn.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if refused, ok := s.link.(noLink); ok {
		return refused.err
	}
	if s.over {
		return errLinkEnded
	}
	return nil
}

// A noLink is a link that has ended before it began.
type noLink struct{ err error }

func (l noLink) Send([]byte) error        { return l.err }
func (l noLink) Recv() ([]byte, error)    { return nil, l.err }
func (l noLink) Close() error             { return nil }
func (l noLink) MaxReserve() int          { return wire.MaxFrame }
func (l noLink) Reserve(n int) []byte     { return make([]byte, 0, n) }
func (l noLink) Commit([]byte) error      { return l.err }
func (l noLink) Flush() error             { return l.err }
func (l noLink) TryRecv() ([]byte, error) { return nil, l.err }
func (l noLink) WaitRecv() error          { return l.err }
func (l noLink) WaitSend(int) error       { return l.err }
func (l noLink) InterruptRecv()           {}
func (l noLink) InterruptSend()           {}
