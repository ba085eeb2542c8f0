package tenon

import (
	"context"
	"sync"

	"github.com/tenon-go/tenon/internal/wire"
)

// An allowance is what the peer takes of messages that have arrived in part. Who
// sends a large message takes its length out while fragments of it are on their
// way, and waits when there is not enough left, so that the peer never has to
// refuse one for lack of room.
type allowance struct {
	mu    sync.Mutex
	known bool // the peer has told
	left  int64
	freed chan struct{} // closed when there is more; nil: nobody waits

	cut map[cutCall]int64 // of messages sent in part, until the peer learns that they are over
}

// A cutCall names a call as frames do.
type cutCall struct {
	id     uint32
	callee bool
}

// set tells what the peer takes.
func (a *allowance) set(bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left += bytes
	a.known = true
	a.wake()
}

// take takes n bytes out; it waits until ctx ends or over is closed. Before the peer
// has told, only our hello is sent, which needs no permission.
func (a *allowance) take(ctx context.Context, over <-chan struct{}, n int64) error {
	a.mu.Lock()
	for a.known && a.left < n {
		if a.freed == nil {
			a.freed = make(chan struct{})
		}
		freed := a.freed
		a.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		case <-over:
			return errClosed
		}
		a.mu.Lock()
	}
	defer a.mu.Unlock()
	a.left -= n
	return nil
}

func (a *allowance) giveBack(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left += n
	a.wake()
}

// cutOff is told of n bytes of a message that was sent in part: the peer keeps room
// for it until it learns that the call is over.
func (a *allowance) cutOff(h wire.Header, n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cut == nil {
		a.cut = make(map[cutCall]int64)
	}
	a.cut[cutCall{h.ID, h.Flags&wire.Callee != 0}] += n
}

// over gives back what was cut off of a call: the peer learns of its end before
// anything that is sent from now on.
func (a *allowance) over(id uint32, callee bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := cutCall{id, callee}
	if n := a.cut[key]; n > 0 {
		delete(a.cut, key)
		a.left += n
		a.wake()
	}
}

func (a *allowance) wake() {
	if a.freed != nil {
		close(a.freed)
		a.freed = nil
	}
}
