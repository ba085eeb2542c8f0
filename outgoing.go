package tenon

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/shape"
	"github.com/tenon-go/tenon/internal/wire"
)

// An outgoing is the sending end of a stream. An item goes out at once if the
// other side has taken all that came before: then it waits, or will in a moment.
// Else items are kept together, until there are enough of them or the other side
// has caught up, so that neither a timer nor a system call for each is needed.
type outgoing struct {
	address
	party *party // who puts items in

	bytes   atomic.Int64 // credit
	items   atomic.Int64
	unseen  atomic.Int64     // items that were sent, and that the other side has not taken yet
	stopped atomic.Bool      // the other side wants no more
	check   *shape.Agreement // not nil: items may have what the other side does not know

	// Of the party.
	puts     int             // items that came
	canceled <-chan struct{} // of its context
	cut      bool            // an item was sent in part
	encoding bool            // it holds mu
	reported int64           // bytes that its progress counts

	mu      sync.Mutex // guards what follows, and is never held while something is sent
	batch   []byte     // a header's place, then items; nil while one is sent
	kept    int64      // items in batch
	sending bool       // a batch is on its way, by the party or the outbox
	spare   []byte     // memory for a batch, or nil
	encoder codec.Encoder
	sent    int64 // items, of the whole stream
	size    int64 // their bytes
}

// lookEvery is how many items that are kept together are put in between two looks
// at the context.
const lookEvery = 32

// batchSize is how many bytes of items are kept together at most.
const batchSize = 8 << 10

// open says where the items go, once that is known.
func (o *outgoing) open(a address) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.address = a
	limits := &a.conn.peer.limits
	o.bytes.Store(int64(limits.StreamBytes))
	o.items.Store(int64(limits.StreamItems))
}

// errStopped says that the other side wants no more items.
var errStopped = errors.New("tenon: the other side takes no more items")

// errCut refuses an item after one of which only a part was sent.
var errCut = &Error{Code: Canceled, Message: "the stream was broken off in the middle of an item"}

// attend comes before each item: it fails when there is to be no other. It belongs to
// the party's goroutine.
func (o *outgoing) attend(ctx context.Context) error {
	// The end of ctx is noticed at once by one whose items go out at once.
	if o.puts++; o.puts%lookEvery != 1 && o.unseen.Load() != 0 && !o.stopped.Load() && !o.party.alert.Load() {
		return nil
	}
	if o.puts == 1 {
		o.canceled = ctx.Done()
	}
	if isClosed(o.canceled) {
		return ctx.Err()
	}
	if o.stopped.Load() {
		return errStopped
	}
	return o.party.attend() // one that never waits would not do it
}

// begin begins an item, which is to be appended to b. o.mu is held until keep or
// breakOff.
func (o *outgoing) begin(ctx context.Context) (b []byte, err error) {
	if err := o.attend(ctx); err != nil {
		return nil, err
	}
	o.mu.Lock()
	o.needBatch()
	o.encoding = true
	return o.batch, nil
}

// keep ends the item that b ends with and sends the batch if it is time: then it
// waits while the other side is behind, until ctx ends. It returns false if the item
// can't be in a batch.
func (o *outgoing) keep(ctx context.Context, b []byte) (kept bool, err error) {
	if !o.encoder.Plain() || len(b) > o.conn.sender.maxFrame {
		o.breakOff()
		return false, nil
	}
	o.encoding = false
	o.batch = b
	o.kept++
	return true, o.pushOn(ctx)
}

// breakOff ends an item that was begun and does not go into the batch, perhaps since
// encoding it panicked.
func (o *outgoing) breakOff() {
	if o.encoding {
		o.encoding = false
		o.encoder.Reset()
		o.mu.Unlock()
	}
}

// needBatch makes room for items. o.mu is held.
func (o *outgoing) needBatch() {
	if o.batch == nil {
		o.batch = make([]byte, wire.HeaderSize, 512)
	}
}

// An appender appends one item.
type appender interface {
	appendTo(b []byte, e *codec.Encoder) []byte
}

// pushOn sends the batch if it is time. o.mu is held, and is not afterwards.
func (o *outgoing) pushOn(ctx context.Context) error {
	// kept was raised before unseen is looked at; credit is the other way round.
	if o.unseen.Load() != 0 && len(o.batch) < o.full() && o.kept < o.items.Load() {
		o.mu.Unlock()
		return nil
	}
	for !o.mayGo() || o.sending {
		o.mu.Unlock()
		if err := o.party.wait(ctx, o.worthIt); err != nil {
			return err
		}
		if o.stopped.Load() {
			return errStopped
		}
		o.mu.Lock()
		if o.kept == 0 {
			o.mu.Unlock()
			return nil // the outbox was quicker
		}
	}
	return o.send(ctx)
}

func (o *outgoing) full() int { return min(batchSize, o.conn.sender.maxFrame) - 64 }

// mayGo reports whether there is credit for the batch. o.mu is held.
func (o *outgoing) mayGo() bool { return o.bytes.Load() > 0 && o.items.Load() >= o.kept }

// ready reports whether the party need not wait: for credit, or for the outbox to
// have sent what came before.
func (o *outgoing) ready() bool {
	if o.stopped.Load() {
		return true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.sending && (o.kept == 0 || o.mayGo())
}

// worthIt is ready of one who has many items to send: with a little credit he would
// soon wait again, so he waits until it is a quarter of all, or nothing is under way
// that would bring more.
func (o *outgoing) worthIt() bool {
	if o.unseen.Load() > 0 && 4*o.items.Load() < int64(o.conn.peer.limits.StreamItems) && !o.stopped.Load() {
		return false
	}
	return o.ready()
}

// readyForOne is ready for an item that goes alone.
func (o *outgoing) readyForOne() bool {
	return o.stopped.Load() || o.bytes.Load() > 0 && o.items.Load() > 0
}

// send sends the batch, for which there is credit. o.mu is held, and is not
// afterwards: who wants it does not have to wait for the link.
func (o *outgoing) send(ctx context.Context) error {
	batch, n := o.batch, o.kept
	o.charge(n, int64(len(batch)-wire.HeaderSize))
	o.batch, o.spare, o.kept = o.spare, nil, 0
	o.sending = true
	o.mu.Unlock()

	o.header(wire.Item, int(n)).Append(batch[:0])
	err := o.conn.sendEncoded(ctx, batch)

	o.mu.Lock()
	if batch = batch[:wire.HeaderSize]; o.batch == nil {
		o.batch = batch
	} else {
		o.spare = batch
	}
	o.sending = false
	o.mu.Unlock()
	return err
}

// charge takes what is sent out of the credit. o.mu is held.
func (o *outgoing) charge(items, bytes int64) {
	o.unseen.Add(items)
	o.items.Add(-items)
	o.bytes.Add(-bytes)
	o.sent += items
	o.size += bytes
}

// total returns how much was sent.
func (o *outgoing) total() (items, bytes int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sent, o.size
}

// flush sends what is kept and waits for the credit that it takes, and for what the
// outbox sends.
func (o *outgoing) flush(ctx context.Context) error {
	for {
		if kept, sending := o.holds(); !kept && !sending {
			return nil
		}
		if err := o.party.wait(ctx, o.ready); err != nil {
			return err
		}
		if o.stopped.Load() {
			return errStopped
		}
		if err := o.flushKept(ctx); err != nil {
			return err
		}
	}
}

// holds reports whether items are kept, or on their way.
func (o *outgoing) holds() (kept, sending bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.kept > 0, o.sending
}

// flushKept is flush for the outbox, which waits for no credit: there is some, or
// there will be another occasion.
func (o *outgoing) flushKept(ctx context.Context) error {
	o.mu.Lock()
	if o.stopped.Load() || o.kept == 0 || !o.mayGo() || o.sending {
		o.mu.Unlock()
		return nil
	}
	defer o.party.wake(nil) // it may wait for this
	return o.send(ctx)
}

// putAlone sends one item alone: it is large, or encoding it runs code of users,
// which must not happen under a lock.
func (o *outgoing) putAlone(ctx context.Context, value appender) error {
	if o.cut {
		return errCut
	}
	e := heapEncoders.Get().(*heapEncoder)
	e.encoder.Reset()
	b := value.appendTo(e.buffer[:0], &e.encoder)
	defer func() {
		e.encoder.Reset()
		if cap(b) <= wire.MaxFrame {
			e.buffer = b[:0]
			heapEncoders.Put(e)
		}
	}()
	if err := e.encoder.Err(); err != nil {
		return encodeError{err}
	}
	segments := e.encoder.Segments()
	if o.check != nil {
		if err := o.checkSurplus(b, segments); err != nil {
			return err
		}
	}
	if len(segments) == 0 && len(b) <= o.full()/2 {
		o.mu.Lock()
		if o.needBatch(); len(o.batch)+len(b) > o.full() {
			o.mu.Unlock()
			if err := o.flush(ctx); err != nil {
				return err
			}
			o.mu.Lock()
			o.needBatch()
		}
		o.batch = append(o.batch, b...)
		o.kept++
		return o.pushOn(ctx)
	}
	if err := o.flush(ctx); err != nil {
		return err
	}
	if err := o.party.wait(ctx, o.readyForOne); err != nil {
		return err
	}
	if o.stopped.Load() {
		return errStopped
	}
	for i := range segments {
		segments[i].At += wire.HeaderSize // as if there were one
	}
	pieces := cutSegments(b, segments)
	total := int64(0)
	for _, p := range pieces {
		total += int64(len(p))
	}
	o.mu.Lock()
	o.charge(1, total)
	o.mu.Unlock()
	m := message{header: o.header(wire.Item, 1), limit: o.conn.peer.limits.Message}
	published, err := o.conn.sender.sendPieces(ctx, m, pieces)
	o.cut = published && err != nil
	if e, ok := errors.AsType[*Error](err); ok {
		e.SafeToRetry = false // the call as a whole has begun
	}
	return err
}

// checkSurplus makes sure that the other side, whose contract is another one, loses
// nothing that the item has.
func (o *outgoing) checkSurplus(b []byte, segments []codec.Segment) error {
	for i := range segments {
		segments[i].At += wire.HeaderSize
	}
	item := bytes.Join(cutSegments(b, segments), nil)
	for i := range segments {
		segments[i].At -= wire.HeaderSize
	}
	return surplus(o.check, item)
}

// end says that no more items come, and why if that is not in order. What is kept
// goes first.
func (o *outgoing) end(ctx context.Context, why error) error {
	if err := o.flush(ctx); err != nil {
		return err
	}
	var body []byte
	if why != nil {
		body = failureOf(why).Append(nil)
	}
	m := message{header: o.header(wire.End, 0), body: encoded(body), limit: o.conn.peer.limits.Message}
	_, err := o.conn.sender.send(ctx, m)
	return err
}

// credit takes what the other side gives. It runs in the reader's role.
func (o *outgoing) credit(r *reader, f wire.Frame) error {
	if len(f.Body) != 4 {
		return protocolError{fmt.Errorf("credit of %d bytes", len(f.Body))}
	}
	items := int64(binary.LittleEndian.Uint32(f.Body))
	unseen := o.unseen.Add(-items)
	if unseen < 0 || o.bytes.Add(int64(f.Arg)) > 1<<40 {
		return protocolError{fmt.Errorf("credit for more items than were sent")}
	}
	o.items.Add(items)
	if unseen == 0 {
		if kept, _ := o.holds(); kept {
			o.conn.outbox.flushStream(o)
		}
	}
	o.party.wake(r)
	return nil
}

// stop has whoever puts items in end. r is the reader if its role is the caller's,
// else nil.
func (o *outgoing) stop(r *reader) {
	o.stopped.Store(true)
	o.party.wake(r)
}
