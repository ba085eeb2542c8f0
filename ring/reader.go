package ring

import (
	"context"
	"encoding/binary"
	"io"

	"github.com/tenon-go/tenon/internal/spin"
)

// A Reader takes messages out of a ring. One goroutine reads at a time.
type Reader struct {
	side
	data []byte
	mask uint32
	lazy uint32 // give back at least so much at once

	tail     uint32 // the message to read next, or the one that is lent out
	next     uint32 // behind the message that is lent out; else tail
	head     uint32 // what the writer had published when last looked
	returned uint32 // the tail that the writer knows

	maxRecords, maxBytes int
	count                counters
}

// NewReader returns the reading side of the ring in mem.
func NewReader(mem []byte, opts ...Option) (*Reader, error) {
	h, data, err := open(mem)
	if err != nil {
		return nil, err
	}
	o := collect(opts)
	tail := h.tail.Load()
	r := &Reader{
		side: side{
			h:      h,
			mine:   bed{sleeps: &h.readerSleeps, wake: &h.readerWake, progress: &h.head, waiter: o.waiter, door: o.door},
			peer:   bed{sleeps: &h.writerSleeps, wake: &h.writerWake, waiter: o.waiter},
			poller: spin.New(o.spin),
		},
		data: data,
		mask: uint32(len(data) - 1),
		lazy: uint32(len(data) / 8),
		tail: tail, next: tail, head: tail, returned: tail,
		maxRecords: o.records,
		maxBytes:   o.bytes,
	}
	if head := h.head.Load(); !plausible(head, tail, len(data)) {
		return nil, corrupt("head %d, tail %d, capacity %d", head, tail, len(data))
	}
	return r, nil
}

// plausible reports whether from tail to head is a possible content.
func plausible(head, tail uint32, capacity int) bool {
	return head-tail <= uint32(capacity) && (head|tail)&7 == 0
}

// TryRead returns the next message, or nil and no error when there is none. A
// message of length 0 is not nil. The slice is the reader's until its next
// TryRead, Read or Drain; nobody else writes to it, but a hostile peer can, so
// copy before you check what must not change afterwards.
//
// At the end it answers io.EOF (the writer closed and everything is read),
// net.ErrClosed (this side closed), [ErrCorrupt], or what End was given.
func (r *Reader) TryRead() ([]byte, error) {
	// Before the look at the ring: what was published before the end is seen.
	end := r.ending.Load()
	if end != nil && !end.drain {
		return nil, end.err
	}
	r.tail = r.next
	if r.tail == r.head {
		if more, err := r.look(end); !more {
			return nil, err
		}
	}
	at := r.tail
	length, kind := r.record(at)
	if kind == kindPadding {
		// It fills the data to the end, and a message follows at the start.
		room := uint64(len(r.data)) - uint64(at&r.mask)
		if recordSize(uint64(length)) != room || room >= uint64(r.head-at) {
			return nil, r.fail(corrupt("padding of %d bytes at index %d", length, at))
		}
		at += uint32(room)
		length, kind = r.record(at)
	}
	pos := at & r.mask
	size := recordSize(uint64(length))
	if kind != kindData || size > uint64(r.head-at) || size > uint64(len(r.data))-uint64(pos) {
		return nil, r.fail(corrupt("record of kind %d and %d bytes at index %d, head %d", kind, length, at, r.head))
	}
	r.next = at + uint32(size)
	if r.tail-r.returned >= r.lazy {
		r.giveBack()
	}
	r.count.records++
	r.count.bytes += uint64(length)
	begin := pos + recordHeader
	return r.data[begin : begin+length : begin+length], nil
}

// record reads the header of a record, once.
func (r *Reader) record(at uint32) (length, kind uint32) {
	word := binary.LittleEndian.Uint64(r.data[at&r.mask:])
	return uint32(word), uint32(word >> 32)
}

// look asks what the writer has published, now that all known is read.
func (r *Reader) look(end *ending) (more bool, err error) {
	for closed := false; ; {
		head := r.h.head.Load()
		if !plausible(head, r.tail, len(r.data)) {
			return false, r.fail(corrupt("head %d, tail %d, capacity %d", head, r.tail, len(r.data)))
		}
		if head != r.tail {
			r.head = head
			return true, nil
		}
		if r.returned != r.tail {
			r.giveBack()
		} else if tail := r.h.tail.Load(); tail != r.returned {
			return false, r.fail(corrupt("tail is %d, this side wrote %d", tail, r.returned))
		}
		switch {
		case closed:
			return false, io.EOF
		case r.h.writerClosed.Load() != 0:
			closed = true // and look once more: it published before it closed
		case end != nil:
			return false, end.err
		default:
			return false, nil
		}
	}
}

// giveBack publishes what is read and wakes a writer that waits for room.
func (r *Reader) giveBack() {
	r.h.tail.Store(r.tail)
	r.returned = r.tail
	r.count.publications++
	if r.peer.rouse() {
		r.count.wakes++
	}
}

func (r *Reader) fail(err error) error {
	r.end(&ending{err: err})
	return err
}

// Ready reports whether TryRead has something, an error included. Any
// goroutine may ask.
func (r *Reader) Ready() bool {
	return r.h.head.Load() != r.h.tail.Load() || r.h.writerClosed.Load() != 0 || r.ending.Load() != nil
}

// Read waits for a message and returns it like TryRead. It polls first and then
// sleeps. An error of ctx, or ErrInterrupted, leaves the ring intact.
func (r *Reader) Read(ctx context.Context) ([]byte, error) {
	p, err := r.TryRead()
	if p != nil || err != nil {
		return p, err
	}
	r.poller.Begin()
	for {
		for r.poller.Again() {
			if r.Ready() {
				break
			}
		}
		if !r.Ready() {
			if err := r.Wait(ctx); err != nil {
				return nil, err
			}
		}
		p, err := r.TryRead()
		if p != nil || err != nil {
			r.poller.End()
			return p, err
		}
	}
}

// Wait sleeps, without polling, until the writer publishes, Interrupt is called
// or ctx ends. It may return early: ask TryRead. TryRead must have returned nil
// before, else it returns at once.
//
// It announces the sleeper as Arm does. While one goroutine sleeps here another
// one may take the reader's place: it calls Disarm, so that the writer's Flush
// wakes nobody, then TryRead as often as it likes until there is nothing left,
// and Arm when it has left. If TryRead answers an error, which Disarm may have
// kept from the sleeper, it calls Interrupt instead.
func (r *Reader) Wait(ctx context.Context) error { return r.sleep(ctx, r.Ready, 0) }

// Arm makes the writer's next Flush wake the goroutine in Wait. It answers
// false when there is something to read already: somebody has to read it. Any
// goroutine may call it, also while another one reads.
func (r *Reader) Arm() bool { return r.arm(r.Ready) }

// Disarm makes the writer's Flush wake nobody.
func (r *Reader) Disarm() { r.mine.disarm() }

// Rung says that the writer has pressed the doorbell of this Reader: see the
// option AtDoorbell. Any goroutine may call it, also for nothing.
func (r *Reader) Rung() { r.mine.kick() }

// Interrupt makes the current wait, or the next one, return [ErrInterrupted].
// Any goroutine may call it.
func (r *Reader) Interrupt() { r.interrupt() }

// End says that the writer is gone without having closed its side, as a process
// does that was killed. The Reader delivers what was published and then answers
// err; if the writer did close, io.EOF stays the answer. Any goroutine may call
// it; the first End counts.
func (r *Reader) End(err error) {
	r.end(&ending{err: err, drain: true})
	r.mine.kick()
}

// Close ends the reading side: its calls answer net.ErrClosed, those of the
// writer io.ErrClosedPipe. A slice that is lent out stays valid. Any goroutine
// may call it, repeatedly.
func (r *Reader) Close() error {
	r.close()
	r.h.readerClosed.Store(1)
	r.mine.kick()
	r.peer.rouse()
	return nil
}

// Buffered returns how many bytes are published and not read, the headers of
// the messages included.
func (r *Reader) Buffered() int {
	n := r.h.head.Load() - r.next
	return int(min(n, uint32(len(r.data))))
}
