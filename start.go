package tenon

import (
	"context"
	"sync"
)

// A Pending is a call that was started and has not been waited for.
type Pending[R any] struct {
	once   sync.Once
	wait   func() (R, error)
	result R
	err    error
}

// Wait waits for the outcome. It may be called more than once, and from several
// goroutines: all get the same.
func (p *Pending[R]) Wait() (R, error) {
	p.once.Do(func() {
		p.result, p.err = p.wait()
		p.wait = nil
	})
	return p.result, p.err
}

// Start starts a call and does not wait for its result: Wait does. Many calls
// that one goroutine starts travel together, published by the first Wait, by a
// full link, or by the connection a moment later, whichever comes first. The
// arguments are encoded, and not referred to any more, when Start returns, if c
// is a *[Conn]; other callers run the call on a goroutine of its own and refer to
// them until Wait returns.
//
// A context that ends is noticed by Wait. A Pending that nobody waits for keeps
// its place among the open calls until it is answered.
func (m *Method[A, R]) Start(ctx context.Context, c Caller, args A) *Pending[R] {
	t := m.take(args)
	conn, ok := c.(*Conn)
	if !ok || len(conn.calls) > 0 {
		settled := make(chan error, 1)
		go func() { settled <- c.Invoke(ctx, &t.call) }()
		return &Pending[R]{wait: func() (R, error) { return t.give(<-settled) }}
	}
	if err := conn.begin(ctx, &t.call, true); err != nil {
		result, err := t.give(conn.explain(err, m.Name))
		p := &Pending[R]{result: result, err: err}
		p.once.Do(func() {})
		return p
	}
	return &Pending[R]{wait: func() (R, error) {
		if err := conn.sender.flushLazy(ctx); err != nil && linkEnded(err) {
			conn.sendFailed(err) // our call is settled with the others
		}
		err := conn.finish(ctx, &t.call)
		if err != nil {
			err = conn.explain(err, m.Name)
		}
		return t.give(err)
	}}
}
