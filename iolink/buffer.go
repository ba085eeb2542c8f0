package iolink

import "sync"

const (
	smallRead = 8 << 10
	largeRead = 56 << 10 // with the 8 KiB of an idle sender: 64 KiB
)

var largeReads = sync.Pool{New: func() any { return new([largeRead]byte) }}

// buffer is the memory of one receiver. It is small until a read has filled it
// and becomes small again with the first read that would have fitted.
type buffer struct {
	small    []byte
	large    *[largeRead]byte
	useLarge bool
}

// next returns memory for one read. What it returned before must not be in use
// any more.
func (b *buffer) next() []byte {
	if b.useLarge {
		if b.large == nil {
			b.large = largeReads.Get().(*[largeRead]byte)
		}
		return b.large[:]
	}
	if b.large != nil {
		largeReads.Put(b.large)
		b.large = nil
	}
	if b.small == nil {
		b.small = make([]byte, smallRead)
	}
	return b.small
}

// note tells how much the read brought.
func (b *buffer) note(n int) {
	if b.useLarge {
		b.useLarge = n > smallRead
	} else {
		b.useLarge = n == smallRead
	}
}
