package tenon

import (
	"context"
	"runtime"
	"sync/atomic"
)

// A turn is the writer's role: one goroutine has it at a time, and waiting for it
// ends with a context. Taking and giving it back is two atomic operations where
// nobody waits; a channel, which would do as well, takes three times as long.
type turn struct {
	taken   atomic.Bool
	given   atomic.Uint32 // to those who waited
	waiting atomic.Int32
	free    chan struct{}   // a hint for one who waits
	over    <-chan struct{} // closed when nobody gets the turn any more
}

func newTurn(over <-chan struct{}) turn { return turn{free: make(chan struct{}, 1), over: over} }

// try takes the turn if nobody has it.
func (t *turn) try() bool { return t.taken.CompareAndSwap(false, true) }

// acquire takes the turn and waits for it until ctx ends.
func (t *turn) acquire(ctx context.Context) error {
	if t.try() {
		return nil
	}
	t.waiting.Add(1)
	defer t.waiting.Add(-1)
	for !t.try() { // after waiting was raised: release sees us, or we see it free
		select {
		case <-t.free:
		case <-ctx.Done():
			return ctx.Err()
		case <-t.over:
			return errClosed
		}
	}
	t.given.Add(1)
	return nil
}

// release gives the turn back. A hint that nobody takes up, because its receiver
// gave up, stays for the next one.
func (t *turn) release() {
	t.taken.Store(false)
	if t.waiting.Load() > 0 {
		select {
		case t.free <- struct{}{}:
		default:
		}
	}
}

// pass is release of one who will take the turn again at once: who waits comes
// first.
func (t *turn) pass() {
	given := t.given.Load()
	t.release()
	for i := 0; i < 100 && t.waiting.Load() > 0 && t.given.Load() == given; i++ {
		runtime.Gosched()
	}
}
