package pool

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"time"
)

const (
	firstPause = 50 * time.Millisecond
	lastPause  = 5 * time.Second

	// A member that lived so long is no sign that the next one will fail too.
	useful = time.Second

	// How long a member that refused a call is left alone, unless it ends.
	doubtful = 100 * time.Millisecond

	// What a member has to end when running calls are waited for no longer.
	lastMoment = time.Second
)

// A keeper keeps one place of the pool occupied: it starts a member, follows it
// to its end, and starts the next one.
type keeper struct {
	pool    *Pool
	leaving context.Context // ends when the pool closes or becomes smaller
	leave   context.CancelFunc
	spot    uint64 // which of the pool's places it is, in the form that keys are compared with
	present bool   // its member takes calls; guarded by the pool
	useless int    // how many members in a row could not be started or did nothing
}

// keeper makes a place. Its run must follow. p.mu is held, or nobody else knows
// p yet.
func (p *Pool) keeper() *keeper {
	k := &keeper{pool: p, spot: mix(uint64(len(p.places)) + 1)}
	k.leaving, k.leave = context.WithCancel(p.quitting)
	p.places = append(p.places, k)
	return k
}

// runFirst reports its first start to first, and ends when that fails.
func (k *keeper) runFirst(first chan<- error) {
	defer k.leave()
	s, err := k.start()
	first <- err
	if err == nil {
		k.keep(s)
	}
}

func (k *keeper) run() {
	defer k.leave()
	k.keep(k.replace())
}

// keep follows members to their ends until the place is given up.
func (k *keeper) keep(s *seat) {
	for s != nil {
		k.follow(s)
		k.end(s)
		if s = k.replace(); s != nil {
			k.pool.replaced.Add(1)
		}
	}
}

// start starts a member and lets it take calls. It is broken off when the place
// is given up.
func (k *keeper) start() (*seat, error) {
	ctx, cancel := context.WithCancel(k.pool.base)
	keep := context.AfterFunc(k.leaving, cancel)
	m, err := k.pool.start(ctx)
	if err == nil && m == nil {
		err = errors.New("start returned neither a member nor an error")
	}
	if err != nil {
		cancel()
		return nil, err
	}
	keep() // from now on the pool ends the member in order
	k.pool.onStart(m)
	s := newSeat(k, m, cancel)
	k.pool.add(s)
	return s, nil
}

// replace starts members until one is there; nil when the place is given up.
func (k *keeper) replace() *seat {
	for k.pause() {
		s, err := k.start()
		if err == nil {
			return s
		}
		if k.leaving.Err() == nil {
			k.pool.noteFailure(err)
			k.useless++
		}
	}
	return nil
}

// pause waits before a replacement, and reports whether there is to be one.
func (k *keeper) pause() bool {
	if k.useless < 2 {
		return k.leaving.Err() == nil
	}
	d := min(firstPause<<min(k.useless-2, 10), lastPause)
	d += time.Duration(rand.Int64N(int64(d / 2))) // so that keepers do not march in step
	return sleep(k.leaving, d)
}

// follow returns when the member ended or the place is given up, and no calls go
// to it any more.
func (k *keeper) follow(s *seat) {
	p := k.pool
	defer p.remove(s)
	for {
		var back <-chan struct{}
		select {
		case <-s.suspect:
			back = later(doubtful)
		case <-s.silent:
			back = k.lifeOf(s.member)
		case <-s.member.Done():
			return
		case <-k.leaving.Done():
			return
		}
		p.remove(s)
		select {
		case <-back:
		case <-s.member.Done():
			return
		case <-k.leaving.Done():
			return
		}
		p.add(s)
	}
}

// lifeOf asks a member for a sign of life. The channel is closed when it comes.
// A member that cannot be asked has the benefit of the doubt.
func (k *keeper) lifeOf(m Member) <-chan struct{} {
	conn := connOf(m)
	if conn == nil {
		return later(doubtful)
	}
	alive := make(chan struct{})
	k.pool.keepers.Go(func() {
		if _, err := conn.Ping(k.leaving); err == nil {
			close(alive)
		}
	})
	return alive
}

func later(d time.Duration) <-chan struct{} {
	due := make(chan struct{})
	time.AfterFunc(d, func() { close(due) })
	return due
}

// end lets the member's running calls finish and closes it.
func (k *keeper) end(s *seat) {
	p := k.pool
	patience := p.grace
	byItself := k.leaving.Err() == nil
	s.leave()
	late := time.NewTimer(p.grace)
	if p.quitting.Err() != nil {
		late.Stop() // it is Stop that says for how long
	}
	select {
	case <-s.empty:
	case <-s.member.Done():
	case <-p.hurrying.Done():
		patience = lastMoment
		s.cut("the pool was closed, and the call did not end in time")
	case <-late.C:
		patience = lastMoment
		s.cut(fmt.Sprintf("the pool was made smaller, and the call did not end within %v", p.grace))
	}
	late.Stop()
	ctx, cancel := context.WithTimeout(p.forcing, patience)
	closeMember(ctx, s.member)
	cancel()
	<-s.member.Done()
	s.cancel()

	if k.useless++; s.answered.Load() || time.Since(s.since) >= useful {
		k.useless = 0
	}
	why := errOf(s.member)
	p.noteEnd(s, why, byItself)
	p.onExit(s.member, why)
}

// closeMember closes a member, within ctx if it can do that.
func closeMember(ctx context.Context, m Member) {
	if m, ok := m.(interface{ Stop(context.Context) error }); ok {
		_ = m.Stop(ctx) // how it ended is what errOf says
		return
	}
	_ = m.Close()
}

// errOf says how a member ended, if it knows; nil for a connection that was
// closed on this side.
func errOf(m Member) error {
	if m, ok := m.(interface{ Err() error }); ok {
		if err := m.Err(); !errors.Is(err, net.ErrClosed) {
			return err
		}
	}
	return nil
}

// sleep reports whether ctx still goes on after d.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
