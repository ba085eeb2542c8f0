package pool

import (
	"context"
	"fmt"
	"slices"

	"github.com/tenon-go/tenon"
)

// How a call comes to its seat. While some seat is free and nobody waits, by one
// compare-and-swap. Else it joins the line, under the lock, and whoever leaves a
// seat serves the line.
//
// No wake-up is lost: who waits counts itself in waiting before it looks for a
// seat a last time, who leaves gives the seat back before it looks at waiting.

// free returns a seat if there is one for a newcomer.
func (p *Pool) free(avoid *seat) *seat {
	if p.waiting.Load() != 0 {
		return nil // first come first served
	}
	return take(*p.seats.Load(), p.turn.Add(1), p.concurrency, avoid)
}

// wait joins the line and returns the seat that the call is given.
func (p *Pool) wait(ctx context.Context, method string) (*seat, error) {
	p.mu.Lock()
	p.waiting.Add(1)
	s, w, err := p.join(ctx, method)
	if w == nil {
		p.waiting.Add(-1)
	}
	p.mu.Unlock()
	if w == nil {
		return s, err
	}

	var gone bool
	select {
	case <-w.ready:
	case <-ctx.Done():
		gone = true
		p.mu.Lock()
		if p.line.remove(w) {
			p.waiting.Add(-1)
			w.ready <- struct{}{}
		}
		p.mu.Unlock()
		<-w.ready // it was just served otherwise
	}
	s, w.seat = w.seat, nil
	waiters.Put(w)
	switch {
	case gone:
		if s != nil {
			p.release(s)
		}
		p.gaveUp.Add(1)
		return nil, p.tooLate(ctx, method)
	case s == nil:
		return nil, refuse(method, tenon.Unavailable, ErrClosed, ErrClosed.Error())
	}
	return s, nil
}

// join returns a seat if one has become free, or a place in the line, or why
// there is neither. p.mu is held.
func (p *Pool) join(ctx context.Context, method string) (*seat, *waiter, error) {
	if p.closed {
		return nil, nil, refuse(method, tenon.Unavailable, ErrClosed, ErrClosed.Error())
	}
	seats := *p.seats.Load()
	if p.line.len() == 0 {
		if s := take(seats, p.turn.Add(1), p.concurrency, nil); s != nil {
			return s, nil, nil
		}
	}
	if s := calledBack(ctx, seats); s != nil {
		s.enter()
		return s, nil, nil
	}
	if p.line.len() >= p.queue {
		p.rejected.Add(1)
		return nil, nil, refuse(method, tenon.ResourceExhausted, ErrQueueFull,
			fmt.Sprintf("%v: %d members, %d calls wait", ErrQueueFull, len(seats), p.line.len()))
	}
	w := waiters.Get().(*waiter)
	p.line.push(w)
	return nil, w, nil
}

// release gives a seat back.
func (p *Pool) release(s *seat) {
	s.exit()
	if p.waiting.Load() != 0 {
		p.mu.Lock()
		p.serveLine()
		p.mu.Unlock()
	}
}

// serveLine gives seats to those who wait as long as there are some. p.mu is
// held.
func (p *Pool) serveLine() {
	for p.line.len() > 0 {
		s := take(*p.seats.Load(), p.turn.Add(1), p.concurrency, nil)
		if s == nil {
			return
		}
		p.serve(p.line.pop(), s)
	}
}

// serve gives one waiter its seat, or none because the pool is closed. p.mu is
// held.
func (p *Pool) serve(w *waiter, s *seat) {
	p.waiting.Add(-1)
	w.seat = s
	w.ready <- struct{}{}
}

// add lets a member take calls, unless the pool is closed.
func (p *Pool) add(s *seat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	seats := append(slices.Clone(*p.seats.Load()), s)
	p.seats.Store(&seats)
	p.serveLine()
}

// remove keeps further calls away from a member.
func (p *Pool) remove(s *seat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	seats := slices.DeleteFunc(slices.Clone(*p.seats.Load()), func(x *seat) bool { return x == s })
	p.seats.Store(&seats)
}

// calledBack returns the seat of the member in whose call the caller runs. That
// member is waiting for this very call, so its place may be used a second time.
func calledBack(ctx context.Context, seats []*seat) *seat {
	conn := tenon.ConnFrom(ctx)
	if conn == nil {
		return nil
	}
	for _, s := range seats {
		if connOf(s.member) == conn {
			return s
		}
	}
	return nil
}

func connOf(m Member) *tenon.Conn {
	switch m := m.(type) {
	case *tenon.Conn:
		return m
	case interface{ Conn() *tenon.Conn }:
		return m.Conn()
	}
	return nil
}
