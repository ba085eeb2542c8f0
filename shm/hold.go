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
	holders atomic.Int32 // the gate, and the roles, that have not let go for good
	once    sync.Once
}

func (m *mapping) release() {
	if m.holders.Add(-1) == 0 {
		m.free()
	}
}

func (m *mapping) free() { m.once.Do(m.unmap) }

// A gate lets any goroutine at the memory for a moment.
type gate struct {
	m     *mapping
	state atomic.Uint32 // closed in the lowest bit, above it how many are inside
}

const shut = 1

func newGate(m *mapping) *gate {
	m.holders.Add(1)
	return &gate{m: m}
}

func (g *gate) enter() bool {
	for {
		s := g.state.Load()
		if s&shut != 0 {
			return false
		}
		if g.state.CompareAndSwap(s, s+2) {
			return true
		}
	}
}

func (g *gate) leave() {
	if g.state.Add(^uint32(1)) == shut {
		g.m.release()
	}
}

// close lets nobody in any more. It is called once.
func (g *gate) close() {
	if g.state.Or(shut) == 0 {
		g.m.release()
	}
}

// A hold is one role's claim on the memory: the sender's, the receiver's, the
// base reader's. It may last from one call to the next, which is how a slice
// that is lent out keeps the memory. One goroutine at a time takes and drops it.
type hold struct {
	m     *mapping
	state atomic.Uint32
	taken bool     // the role's own copy: a role that is inside pays nothing
	_     [48]byte // a line of its own: the roles run on different processors
}

const (
	taken  = 1
	closed = 2
)

func (h *hold) init(m *mapping) {
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

// close forbids further claims. Any goroutine may call it, once.
func (h *hold) close() {
	if old := h.state.Or(closed); old&taken == 0 {
		h.m.release()
	}
}
