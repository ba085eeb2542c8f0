package pool

import (
	"context"
	"fmt"
	"slices"

	"github.com/tenon-go/tenon"
)

// How a call comes to its seat. While some seat is free and nobody waits, by one
// compare-and-swap. Else it joins a line, under the lock: that of the pool, or
// with a key that of the member the key belongs to. Whoever leaves a seat gives
// it to the one who has waited longest in either.
//
// No wake-up is lost: who waits counts itself in waiting before it looks for a
// seat a last time, who leaves gives the seat back before it looks at waiting.

// free returns a seat if there is one for a newcomer.
func (p *Pool) free(what wish) *seat {
	if p.waiting.Load() != 0 {
		return nil // first come first served
	}
	return p.take(what)
}

// take returns a seat that fits, if one is free.
func (p *Pool) take(what wish) *seat {
	seats := *p.seats.Load()
	if !what.keyed {
		return takeLeastBusy(seats, p.turn.Add(1), p.concurrency, what.avoid)
	}
	if s := what.seat(seats); s != nil && s.take(p.concurrency) {
		return s
	}
	return nil
}

// wait joins a line and returns the seat that the call is given.
func (p *Pool) wait(ctx context.Context, what wish, method string) (*seat, error) {
	p.mu.Lock()
	p.waiting.Add(1)
	s, w, err := p.join(ctx, what, method)
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
		if w.line.remove(w) {
			p.serve(w, nil)
		}
		p.mu.Unlock()
		<-w.ready // it was just served otherwise
	}
	s = w.seat
	*w = waiter{ready: w.ready}
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

// join returns a seat if one has become free, or a place in a line, or why there
// is neither. p.mu is held.
func (p *Pool) join(ctx context.Context, what wish, method string) (*seat, *waiter, error) {
	if p.closed {
		return nil, nil, refuse(method, tenon.Unavailable, ErrClosed, ErrClosed.Error())
	}
	what.avoid = nil // better that one than none
	seats := *p.seats.Load()
	line := p.lineFor(what)
	if line.len() == 0 {
		if s := p.take(what); s != nil {
			return s, nil, nil
		}
	}
	if s := calledBack(ctx, seats); s != nil {
		s.enter()
		return s, nil, nil
	}
	if waiting := int(p.waiting.Load()) - 1; waiting >= p.queue {
		p.rejected.Add(1)
		return nil, nil, refuse(method, tenon.ResourceExhausted, ErrQueueFull,
			fmt.Sprintf("%v: %d members, %d calls wait", ErrQueueFull, len(seats), waiting))
	}
	w := waiters.Get().(*waiter)
	p.tickets++
	w.wish, w.ticket = what, p.tickets
	line.push(w)
	return nil, w, nil
}

// lineFor is where a call waits. p.mu is held.
func (p *Pool) lineFor(what wish) *line {
	if what.keyed {
		if s := what.seat(*p.seats.Load()); s != nil {
			return &s.line
		}
	}
	return &p.line
}

// release gives a seat back.
func (p *Pool) release(s *seat) {
	if last := s.exit(); last {
		p.recount(s)
	}
	if p.waiting.Load() != 0 {
		p.mu.Lock()
		p.fill(s)
		p.mu.Unlock()
	}
}

// fill gives what is free of a seat to those who wait. p.mu is held.
func (p *Pool) fill(s *seat) {
	for s.keeper.present {
		line := older(&p.line, &s.line)
		if line == nil || !s.take(p.concurrency) {
			return
		}
		p.serve(line.pop(), s)
	}
}

// serve gives one waiter its seat, or none because the pool is closed or its
// caller gave up. p.mu is held.
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
	if p.leaving == nil {
		p.leaving = make(map[*seat]bool)
	}
	delete(p.leaving, s)
	s.keeper.present = true
	p.fill(s)
	p.announce()
}

// remove keeps further calls away from a member. Those that wait for it wait for
// the next one in the order of their keys.
func (p *Pool) remove(s *seat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	seats := slices.DeleteFunc(slices.Clone(*p.seats.Load()), func(x *seat) bool { return x == s })
	if len(seats) == len(*p.seats.Load()) {
		return // it was removed before, and may have a successor
	}
	p.leaving[s] = true
	p.seats.Store(&seats)
	s.keeper.present = false
	for s.line.len() > 0 {
		w := s.line.pop()
		line := p.lineFor(w.wish)
		if line.len() == 0 {
			if other := p.take(w.wish); other != nil {
				p.serve(w, other)
				continue
			}
		}
		line.push(w)
	}
	p.announce()
}

// calledBack returns the seat of the member in whose call the caller runs. That
// member is waiting for this very call, so its place may be used a second time.
func calledBack(ctx context.Context, seats []*seat) *seat {
	conn := tenon.ConnFrom(ctx)
	if conn == nil {
		return nil
	}
	inside, _ := ctx.Value(insideKey{}).(*local)
	for _, s := range seats {
		if connOf(s.member) == conn || inside != nil && s.member == Member(inside) {
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
