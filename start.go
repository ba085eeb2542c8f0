package tenon

import (
	"context"
	"sync"
	"time"

	"github.com/tenon-go/tenon/internal/call"
)

// A Pending is a call that was started and has not been waited for.
type Pending[R any] struct {
	once   sync.Once
	ctx    context.Context
	open   *call.Call
	give   giver[R]
	began  starter    // who finishes the call
	alone  chan error // or what the goroutine that carries it out sends
	result R
	err    error
}

// giver is a typedCall whose arguments do not matter any more.
type giver[R any] interface{ give(error) (R, error) }

// Wait waits for the outcome. It may be called more than once, and from several
// goroutines: all get the same.
func (p *Pending[R]) Wait() (R, error) {
	p.once.Do(func() {
		err := p.err
		switch {
		case p.alone != nil:
			err = <-p.alone
		case err == nil:
			err = p.began.Finish(p.ctx, p.open)
		}
		p.result, p.err = p.give.give(err)
	})
	return p.result, p.err
}

// Start starts a call and does not wait for its result: Wait does. Many calls
// that one goroutine starts travel together, published by the first Wait, by a
// full link, or by the connection 100 microseconds later, whichever comes first.
// The arguments are encoded, and not referred to any more, when Start returns, if
// c is a *[Conn] without interceptors or a worker; other callers run the call on
// a goroutine of its own and refer to them until Wait returns.
//
// A context that ends is noticed by Wait. A Pending that nobody waits for keeps
// its place among the open calls until it is answered.
func (m *Method[A, R]) Start(ctx context.Context, c Caller, args A) *Pending[R] {
	m.mustCall(ctx, c)
	t := m.take(args)
	p := &Pending[R]{ctx: ctx, open: &t.call, give: t}
	if s, ok := c.(starter); ok {
		p.began = s
		if p.err = s.Begin(ctx, p.open); p.err != call.ErrInvoke {
			return p
		}
		p.err = nil
	}
	p.alone = make(chan error, 1)
	go func() { p.alone <- c.Invoke(ctx, p.open) }()
	return p
}

// A starter is a [Caller] that needs no goroutine to start a call. Finish is
// called once for each call that Begin has begun.
type starter interface {
	Begin(ctx context.Context, c *call.Call) error
	Finish(ctx context.Context, c *call.Call) error
}

// lazyDelay is when calls that were started are published at the latest.
const lazyDelay = 100 * time.Microsecond

// Begin starts one call of this side, and Finish waits for its outcome. They are
// the two halves of Invoke; programs start calls through generated starters, or
// through [Method.Start].
func (c *Conn) Begin(ctx context.Context, open *call.Call) error {
	if len(c.calls) > 0 || progressOf(ctx) != nil {
		return call.ErrInvoke // interceptors see a call as a whole
	}
	if err := c.begin(ctx, open, true); err != nil {
		return c.explain(ctx, err, open.Method.Name)
	}
	return nil
}

// Finish is the other half of [Conn.Begin].
func (c *Conn) Finish(ctx context.Context, open *call.Call) error {
	if err := c.sender.flushLazy(ctx); err != nil && linkEnded(err) {
		c.sendFailed(err) // our call is settled with the others
	}
	if err := c.finish(ctx, open); err != nil {
		return c.explain(ctx, err, open.Method.Name)
	}
	return nil
}
