package shm

import (
	"sync"
	"sync/atomic"
)

// A mapping is the link's memory in this process. It is unmapped when the link
// is closed and nobody holds it any more.
type mapping struct {
	mem     []byte
	unmap   func()
	holders atomic.Int32 // those who have not let go for good
	once    sync.Once
}

// A hold is one role's claim on the mapping: the sender's, the receiver's, the
// base reader's. While it is taken the memory stays; after close it can not be
// taken again. One goroutine at a time takes and drops it.
type hold struct {
	m     *mapping
	state atomic.Uint32
	taken bool     // the role's own copy, so that a role already inside pays nothing
	_     [48]byte // a line of its own: the roles run on different processors
}

const (
	taken  = 1
	closed = 2
)

func (m *mapping) newHold(h *hold) {
	h.m = m
	m.holders.Add(1)
}

// take claims the memory, or reports that the link is closed.
func (h *hold) take() bool {
	if h.taken {
		return true
	}
	h.taken = h.state.CompareAndSwap(0, taken)
	return h.taken
}

func (h *hold) drop() {
	if !h.taken {
		return
	}
	h.taken = false
	if !h.state.CompareAndSwap(taken, 0) {
		h.m.release() // closed meanwhile
	}
}

// close forbids further claims. Any goroutine calls it, once.
func (h *hold) close() {
	if old := h.state.Or(closed); old&taken == 0 {
		h.m.release()
	}
}

func (m *mapping) release() {
	if m.holders.Add(-1) == 0 {
		m.free()
	}
}

func (m *mapping) free() { m.once.Do(m.unmap) }
