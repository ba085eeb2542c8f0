package ring

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"unsafe"

	"github.com/tenon-go/tenon/internal/spin"
)

// A Writer puts messages into a ring. One goroutine writes at a time.
type Writer struct {
	side
	data []byte
	mask uint32

	head      uint32 // behind what is committed
	published uint32 // the head that the reader knows
	tail      uint32 // what the reader had given back when last looked

	open bool   // a reservation is open
	at   uint32 // its record
	room int    // what it may hold

	opt   options
	count counters
}

// NewWriter returns the writing side of the ring in mem.
func NewWriter(mem []byte, opts ...Option) (*Writer, error) {
	h, data, err := open(mem)
	if err != nil {
		return nil, err
	}
	o := collect(opts)
	head, tail := h.head.Load(), h.tail.Load()
	if !plausible(head, tail, len(data)) {
		return nil, corrupt("head %d, tail %d, capacity %d", head, tail, len(data))
	}
	return &Writer{
		side: side{
			h:      h,
			mine:   bed{sleeps: &h.writerSleeps, wake: &h.writerWake, progress: &h.tail, waiter: o.waiter},
			peer:   bed{sleeps: &h.readerSleeps, wake: &h.readerWake, waiter: o.waiter, press: o.press},
			poller: spin.New(o.spin),
		},
		data: data,
		mask: uint32(len(data) - 1),
		head: head, published: head, tail: tail,
		opt: o,
	}, nil
}

// MaxRecord returns the length of the largest message: half the capacity less
// 8 bytes, so that it fits wherever the ring's end lies.
func (w *Writer) MaxRecord() int { return len(w.data)/2 - recordHeader }

// Reserve returns memory to append a message to: length 0, capacity n, or nil
// when there is no room at the moment, n is above MaxRecord, or the ring has
// ended (Wait knows which). One reservation is open at most. It ends with
// Commit, or with the next Reserve, TryWrite or Write, and then nothing was
// written.
func (w *Writer) Reserve(n int) []byte {
	w.open = false
	if n < 0 || n > w.MaxRecord() || w.ending.Load() != nil {
		return nil
	}
	at, ok := w.place(n)
	if !ok {
		return nil
	}
	w.open, w.at, w.room = true, at, n
	begin := int(at&w.mask) + recordHeader
	return w.data[begin : begin : begin+n]
}

// Commit makes a message of what was appended to the reserved slice. When
// append moved p out of the ring's memory it is copied back, so p may be larger
// than was reserved, or have no reservation at all. The reader sees it after
// Flush; p must not be written to afterwards. ErrFull and ErrTooLarge take
// nothing.
func (w *Writer) Commit(p []byte) error {
	reserved := w.open
	w.open = false
	if e := w.ending.Load(); e != nil {
		return e.err
	}
	switch n := len(p); {
	case n > w.MaxRecord():
		return w.tooLarge(n)
	case reserved && n > 0 && unsafe.SliceData(p) == &w.data[int(w.at&w.mask)+recordHeader]:
		if n > w.room {
			return errors.New("ring: Commit of more than was reserved, in place: use append, not a slice with a larger capacity")
		}
	case n > 0 && w.owns(p):
		return errors.New("ring: Commit of a slice inside the ring that is not the start of the open reservation")
	case reserved && n <= w.room:
		w.copyTo(w.at, p)
	default:
		at, ok := w.place(n)
		if !ok {
			return w.full()
		}
		w.at = at
		w.copyTo(at, p)
	}
	w.take(w.at, len(p))
	return nil
}

// full says why place found no room.
func (w *Writer) full() error {
	if e := w.ending.Load(); e != nil {
		return e.err
	}
	return ErrFull
}

// owns reports whether p lies in the ring's memory.
func (w *Writer) owns(p []byte) bool {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(w.data)))
	return uintptr(unsafe.Pointer(unsafe.SliceData(p)))-start < uintptr(len(w.data))
}

// place finds where a record of n bytes can lie, MaxRecord at most, looking for
// the reader's progress only when it must.
func (w *Writer) place(n int) (at uint32, ok bool) {
	need := uint32(recordSize(uint64(n)))
	if need <= uint32(len(w.data))-w.head&w.mask && need <= w.free() {
		return w.head, true
	}
	return w.search(need)
}

// search is place where the data ends, or the room that is known of.
func (w *Writer) search(need uint32) (at uint32, ok bool) {
	at = w.head
	total := need
	if end := uint32(len(w.data)) - at&w.mask; end < need {
		at += end // padding
		total += end
	}
	if total <= w.free() {
		return at, true
	}
	return at, w.look() && total <= w.free()
}

func (w *Writer) free() uint32 { return uint32(len(w.data)) - (w.head - w.tail) }

// look asks how far the reader has come.
func (w *Writer) look() bool {
	tail := w.h.tail.Load()
	if tail-w.tail > w.published-w.tail || tail&7 != 0 {
		w.end(&ending{err: corrupt("tail %d outside of what was written, %d to %d", tail, w.tail, w.published)})
		return false
	}
	w.tail = tail
	return true
}

func (w *Writer) copyTo(at uint32, p []byte) {
	copy(w.data[int(at&w.mask)+recordHeader:], p)
}

// take appends the record at to what is committed.
func (w *Writer) take(at uint32, n int) {
	if at != w.head {
		w.header(w.head, uint64(at-w.head-recordHeader)|kindPadding<<32)
	}
	w.header(at, uint64(n)|kindData<<32)
	w.head = at + uint32(recordSize(uint64(n)))
	w.count.records++
	w.count.bytes += uint64(n)
}

func (w *Writer) header(at uint32, lengthAndKind uint64) {
	binary.LittleEndian.PutUint64(w.data[at&w.mask:], lengthAndKind)
}

// Flush shows the reader everything that was committed, and wakes it if it
// sleeps. It answers io.ErrClosedPipe when the reader has closed.
func (w *Writer) Flush() error {
	if e := w.ending.Load(); e != nil {
		return e.err
	}
	// Before, not after: a reader that has read what this flush shows and closes
	// at once got everything.
	if w.h.readerClosed.Load() != 0 {
		return w.readerGone()
	}
	if w.head != w.published {
		w.h.head.Store(w.head)
		w.published = w.head
		w.count.publications++
		if w.peer.rouse() {
			w.count.wakes++
		}
	}
	return nil
}

func (w *Writer) readerGone() error {
	w.end(&ending{err: io.ErrClosedPipe})
	return w.ending.Load().err
}

// TryWrite copies a message into the ring if there is room. The reader sees it
// after Flush.
func (w *Writer) TryWrite(p []byte) (bool, error) {
	w.open = false
	if e := w.ending.Load(); e != nil {
		return false, e.err
	}
	if len(p) > w.MaxRecord() {
		return false, w.tooLarge(len(p))
	}
	at, ok := w.place(len(p))
	if !ok {
		if e := w.ending.Load(); e != nil {
			return false, e.err
		}
		return false, nil
	}
	w.copyTo(at, p)
	w.take(at, len(p))
	return true, nil
}

// Write copies a message into the ring. When there is no room it flushes and
// waits for it: until ctx ends, and no longer than the option Timeout says. The
// reader sees the message after Flush.
func (w *Writer) Write(ctx context.Context, p []byte) error {
	if ok, err := w.TryWrite(p); ok || err != nil {
		return err
	}
	return w.writeLater(ctx, p)
}

func (w *Writer) writeLater(ctx context.Context, p []byte) error {
	if w.opt.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, w.opt.timeout, ErrTimeout)
		defer cancel()
	}
	for {
		if err := w.Wait(ctx, len(p)); err != nil {
			return err
		}
		if ok, err := w.TryWrite(p); ok || err != nil {
			return err
		}
	}
}

// Batch calls f and flushes at its end, also when f fails or panics.
func (w *Writer) Batch(f func() error) (err error) {
	defer func() { err = errors.Join(err, w.Flush()) }()
	return f()
}

// Interrupt makes the current wait, or the next one, return [ErrInterrupted].
// Any goroutine may call it.
func (w *Writer) Interrupt() { w.interrupt() }

// End says that the reader is gone without having closed its side, as a process
// does that was killed. Every call answers err from now on; if the reader did
// close, io.ErrClosedPipe stays the answer. Any goroutine may call it; the first
// End counts.
func (w *Writer) End(err error) {
	if w.h.readerClosed.Load() != 0 {
		err = io.ErrClosedPipe
	}
	w.end(&ending{err: err})
	w.mine.kick()
}

// Close ends the writing side: its calls answer net.ErrClosed, those of the
// reader io.EOF after everything that was flushed. What was not flushed is
// dropped. Any goroutine may call it, repeatedly.
func (w *Writer) Close() error {
	w.close()
	w.h.writerClosed.Store(1)
	w.mine.kick()
	w.peer.rouse()
	return nil
}

// Available returns how many bytes are free, the headers of messages not yet
// deducted.
func (w *Writer) Available() int {
	w.look()
	return int(w.free())
}
