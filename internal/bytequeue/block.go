package bytequeue

import "sync"

const (
	// SmallBlock is what an idle queue may keep, and all that a link with
	// short messages ever uses.
	SmallBlock = 8 << 10

	// LargeBlock is the unit of growth and the largest reservation.
	LargeBlock = 128 << 10
)

// A block is filled from the left: 0 <= read <= published <= end <= len(mem).
type block struct {
	mem                  []byte
	read, published, end int
}

func (b *block) room() int     { return len(b.mem) - b.end }
func (b *block) drained() bool { return b.read == b.end }
func (b *block) reset()        { b.read, b.published, b.end = 0, 0, 0 }
func (b *block) large() bool   { return len(b.mem) == LargeBlock }

// Large blocks are shared by all queues, so that a burst on one link is not
// paid for by its idle time; the garbage collector empties the pool.
var largeBlocks = sync.Pool{New: func() any { return &block{mem: make([]byte, LargeBlock)} }}
