package bytequeue

import (
	"unsafe"

	"github.com/tenon-go/tenon/internal/linkerr"
)

// A Queue is a bounded FIFO of bytes. Call Init before its first use.
type Queue struct {
	blocks   []*block // the first one is read, the last one written
	large    int      // how many of blocks are large ones
	maxLarge int
	spare    *block // the small block while it is not in blocks

	reserved    *byte // start of the open reservation, nil without one
	reservedCap int
}

// Init sets the bound: one small block and as many large ones as fit into
// limit bytes, but at least one.
func (q *Queue) Init(limit int) {
	q.maxLarge = max(1, limit/LargeBlock)
	q.blocks = make([]*block, 0, q.maxLarge+1)
}

// MaxReserve is the largest n that Reserve can give.
func (q *Queue) MaxReserve() int { return LargeBlock }

// Reserve returns n bytes of room to append to, or nil when there is none. It
// ends an open reservation.
func (q *Queue) Reserve(n int) []byte {
	q.reserved = nil
	if n > LargeBlock {
		return nil
	}
	if n <= 0 {
		return []byte{}
	}
	b := q.tail(n)
	if b == nil {
		return nil
	}
	p := b.mem[b.end : b.end : b.end+n]
	q.reserved, q.reservedCap = unsafe.SliceData(p), n
	return p
}

// Commit takes what was appended to the reserved slice, or a copy of p when p
// lies elsewhere.
func (q *Queue) Commit(p []byte) error {
	inPlace := q.reserved != nil && unsafe.SliceData(p) == q.reserved && len(p) <= q.reservedCap
	q.reserved = nil
	switch {
	case len(p) == 0:
		return nil
	case inPlace:
		q.blocks[len(q.blocks)-1].end += len(p)
		return nil
	case len(p) > LargeBlock:
		return linkerr.ErrTooLarge
	}
	b := q.tail(len(p))
	if b == nil {
		return linkerr.ErrFull
	}
	b.end += copy(b.mem[b.end:], p)
	return nil
}

// Publish makes everything committed visible to Peek.
func (q *Queue) Publish() {
	for _, b := range q.blocks {
		b.published = b.end
	}
}

// Peek returns the next published bytes, or nil. They stay where they are until
// Discard.
func (q *Queue) Peek() []byte {
	if len(q.blocks) == 0 {
		return nil
	}
	b := q.blocks[0]
	if b.read == b.published {
		return nil
	}
	return b.mem[b.read:b.published:b.published]
}

// Discard gives the first n bytes of Peek back.
func (q *Queue) Discard(n int) {
	b := q.blocks[0]
	b.read += n
	isTail := len(q.blocks) == 1
	if b.drained() && (!isTail || b.large() && q.reserved == nil) {
		q.pop()
	}
}

// Fits reports whether Reserve(n) would succeed.
func (q *Queue) Fits(n int) bool {
	if n > LargeBlock {
		return false
	}
	if len(q.blocks) == 0 || q.large < q.maxLarge {
		return true
	}
	b := q.blocks[len(q.blocks)-1]
	return b.room() >= n || b.drained() && len(b.mem) >= n
}

// tail returns the last block, a new one if needed, with room for n bytes, or
// nil when the queue is full.
func (q *Queue) tail(n int) *block {
	if len(q.blocks) > 0 {
		b := q.blocks[len(q.blocks)-1]
		if b.drained() {
			b.reset()
		}
		if b.room() >= n {
			return b
		}
		if b.drained() {
			q.pop() // a drained tail is the only block: what lay before it was read first
		}
	}
	if len(q.blocks) == 0 && n <= SmallBlock {
		return q.push(q.small())
	}
	if q.large == q.maxLarge {
		return nil
	}
	q.large++
	return q.push(largeBlocks.Get().(*block))
}

func (q *Queue) small() *block {
	if q.spare == nil {
		return &block{mem: make([]byte, SmallBlock)}
	}
	b := q.spare
	q.spare = nil
	return b
}

func (q *Queue) push(b *block) *block {
	q.blocks = append(q.blocks, b)
	return b
}

func (q *Queue) pop() {
	b := q.blocks[0]
	n := copy(q.blocks, q.blocks[1:])
	q.blocks[n] = nil
	q.blocks = q.blocks[:n]
	b.reset()
	if b.large() {
		q.large--
		largeBlocks.Put(b)
	} else {
		q.spare = b
	}
}
