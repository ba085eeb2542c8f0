package ring

import (
	"context"
	"net"
	"sync/atomic"
	"time"

	"github.com/tenon-go/tenon/internal/spin"
)

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
	s.mine.announce()
	return !ready()
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
	if s.mine.door != nil {
		s.mine.door.enter()
		defer s.mine.door.leave()
	}
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
	for quiet, progress := 0, s.mine.progress.Load(); ; {
		switch {
		case s.interrupted.Load() && s.interrupted.Swap(false):
			s.mine.disarm()
			return ErrInterrupted
		case ctx.Err() != nil:
			s.mine.disarm()
			return context.Cause(ctx)
		case s.ending.Load() != nil:
			s.mine.disarm()
			return s.over()
		}
		s.sleeps.Add(1)
		s.mine.lie(seen, longest)
		count := s.mine.wake.Load()
		if count != seen && s.mine.sleeps.Load() == awake {
			return s.over()
		}
		if limit > 0 {
			s.mine.disarm()
			return nil
		}
		seen = count
		if s.mine.where() == asleep && s.mine.door != nil {
			now := s.mine.progress.Load()
			if quiet++; now != progress {
				quiet, progress = 0, now
			}
			if quiet >= idleLooks {
				s.mine.move()
			}
		}
	}
}
