package ring

import (
	"context"
	"net"
	"sync/atomic"
	"time"

	"github.com/tenon-go/tenon/internal/spin"
)

// A sleeper looks around after this time even if nobody wakes it. Only a
// hostile peer, which rewinds the wake word, makes this necessary.
const lookAround = 500 * time.Millisecond

// A bed is where one side of a ring sleeps.
type bed struct {
	sleeps *atomic.Uint32 // announces the sleeper
	wake   *atomic.Uint32 // counts wake-ups; the sleeper lies on it
	waiter Waiter
}

// rouse wakes the sleeper if one is announced. Its caller has stored before
// what the sleeper waits for; the sleeper announces itself before it looks for
// that a last time. Both are sequentially consistent, so one sees the other.
func (b *bed) rouse() bool {
	if b.sleeps.Load() != asleep || !b.sleeps.CompareAndSwap(asleep, awake) {
		return false
	}
	b.kick()
	return true
}

// kick ends the sleep itself and leaves the announcement alone.
func (b *bed) kick() {
	b.wake.Add(1)
	b.waiter.Wake(b.wake)
}

// A side is what Reader and Writer have in common: how they wait and end.
type side struct {
	h      *header
	mine   bed
	peer   bed
	poller spin.Poller
	sleeps atomic.Uint64

	ending      atomic.Pointer[ending]
	interrupted atomic.Bool
}

// An ending says what a side answers from now on.
type ending struct {
	err   error
	drain bool // only after what was published
}

// end sets the side's ending, unless there is one. What takes effect at once
// replaces what waits for the ring to be drained.
func (s *side) end(e *ending) {
	for {
		old := s.ending.Load()
		if old != nil && (e.drain || !old.drain) {
			return
		}
		if s.ending.CompareAndSwap(old, e) {
			return
		}
	}
}

// close sets the ending of a side that closed itself, whatever came before.
func (s *side) close() { s.ending.Store(&ending{err: net.ErrClosed}) }

// over returns what the side answers at once, whatever is in the ring.
func (s *side) over() error {
	if e := s.ending.Load(); e != nil && !e.drain {
		return e.err
	}
	return nil
}

func (s *side) interrupt() {
	s.interrupted.Store(true)
	s.mine.kick()
}

// arm announces a sleeper unless ready. When it finds that only after the
// announcement it leaves that alone, at the price of a wake-up for nothing:
// another goroutine may have armed meanwhile, and count on it.
func (s *side) arm(ready func() bool) bool {
	if ready() {
		return false
	}
	s.mine.sleeps.Store(asleep)
	return !ready()
}

func (s *side) disarm() {
	if s.mine.sleeps.Load() != awake {
		s.mine.sleeps.Store(awake)
	}
}

// sleep waits until ready, an interrupt, or the end of ctx. After the first
// look it does not call ready again but believes the sleep word: while it
// sleeps somebody else may have taken this side's place, disarmed, and armed
// again. It may return early, and with a limit it does so after that time.
func (s *side) sleep(ctx context.Context, ready func() bool, limit time.Duration) error {
	if s.interrupted.Load() && s.interrupted.Swap(false) {
		return ErrInterrupted
	}
	seen := s.mine.wake.Load()
	if !s.arm(ready) {
		return s.over()
	}
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, s.mine.kick)
		defer stop()
	}
	longest := time.Duration(lookAround)
	if limit > 0 {
		longest = min(longest, limit)
	}
	for {
		switch {
		case s.interrupted.Load() && s.interrupted.Swap(false):
			s.disarm()
			return ErrInterrupted
		case ctx.Err() != nil:
			s.disarm()
			return context.Cause(ctx)
		case s.ending.Load() != nil:
			s.disarm()
			return s.over()
		}
		s.sleeps.Add(1)
		s.mine.waiter.Sleep(s.mine.wake, seen, longest)
		count := s.mine.wake.Load()
		if count != seen && s.mine.sleeps.Load() == awake {
			return s.over()
		}
		if limit > 0 {
			s.disarm()
			return nil
		}
		seen = count
	}
}
