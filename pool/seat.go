package pool

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// A seat is a member's place in the pool, with the count of its calls. The
// padding keeps the counts of two seats out of one cache line.
type seat struct {
	keeper  *keeper
	member  Member
	cancel  context.CancelFunc // of the context that the member was started with
	since   time.Time
	suspect chan struct{} // holds a token when a call found the member gone
	silent  chan struct{} // holds one when a call could not be sent in time
	once    sync.Once
	empty   chan struct{} // closed when the seat was left and its last call ended
	line    line          // of calls whose key belongs here; guarded by the pool
	counted uint64        // of its calls, in the pool's tally; guarded by the pool
	ended   bool          // the member is in the tally; guarded by the pool

	cutOff atomic.Pointer[string] // why running calls are waited for no longer

	_        [64]byte
	inFlight atomic.Int64
	calls    atomic.Uint64
	answered atomic.Bool // a call succeeded
	leaving  atomic.Bool
	_        [64]byte
}

func newSeat(k *keeper, m Member, cancel context.CancelFunc) *seat {
	return &seat{
		keeper: k, member: m, cancel: cancel, since: time.Now(),
		suspect: make(chan struct{}, 1), silent: make(chan struct{}, 1), empty: make(chan struct{}),
	}
}

// takeLeastBusy finds the seat with the fewest calls in flight, from the given
// one on, and counts one more. It returns nil when none is below limit. avoid is taken
// only when there is no other.
func takeLeastBusy(seats []*seat, first uint64, limit int64, avoid *seat) *seat {
	if limit == 0 {
		limit = math.MaxInt64
	}
	n := uint64(len(seats))
	if n == 0 {
		return nil
	}
	first %= n
	for {
		var best *seat
		fewest := limit
		for i := range n {
			at := first + i
			if at >= n {
				at -= n
			}
			s := seats[at]
			if s == avoid && n > 1 {
				continue
			}
			if busy := s.inFlight.Load(); busy < fewest {
				if best, fewest = s, busy; busy == 0 {
					break
				}
			}
		}
		if best == nil {
			return nil
		}
		if best.inFlight.CompareAndSwap(fewest, fewest+1) {
			best.calls.Add(1)
			return best
		}
	}
}

// take counts one more call if limit allows.
func (s *seat) take(limit int64) bool {
	for {
		busy := s.inFlight.Load()
		if limit != 0 && busy >= limit {
			return false
		}
		if s.inFlight.CompareAndSwap(busy, busy+1) {
			s.calls.Add(1)
			return true
		}
	}
}

// Leave ends the stay of a call that its caller gave up. It makes a seat a
// call.Place.
func (s *seat) Leave() { s.keeper.pool.release(s) }

// Scarce reports whether the member takes no more calls until one has left.
func (s *seat) Scarce() bool {
	limit := s.keeper.pool.concurrency
	return limit != 0 && s.inFlight.Load() >= limit
}

// enter counts one more call, whatever the limit.
func (s *seat) enter() {
	s.inFlight.Add(1)
	s.calls.Add(1)
}

// exit reports whether that was the last call of a member that takes no more.
func (s *seat) exit() (last bool) {
	if s.inFlight.Add(-1) == 0 && s.leaving.Load() {
		s.once.Do(func() { close(s.empty) })
		return true
	}
	return false
}

// leave makes empty close once no call is in flight. The seat must have been
// taken out of the pool's list.
func (s *seat) leave() {
	s.leaving.Store(true)
	if s.inFlight.Load() == 0 {
		s.once.Do(func() { close(s.empty) })
	}
}

// succeeded notes that the member is good for something.
func (s *seat) succeeded() {
	if !s.answered.Load() {
		s.answered.Store(true)
	}
}

// doubt has the seat's keeper look whether the member is going.
func (s *seat) doubt() {
	select {
	case s.suspect <- struct{}{}:
	default:
	}
}

// miss has the seat's keeper ask a member for a sign of life that has given none.
func (s *seat) miss() {
	select {
	case s.silent <- struct{}{}:
	default:
	}
}

// cut notes why the calls that still run are broken off.
func (s *seat) cut(why string) { s.cutOff.Store(&why) }
