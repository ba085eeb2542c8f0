package tenon

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tenon-go/tenon/internal/wire"
)

// An address says where frames of a port belong.
type address struct {
	conn  *Conn
	id    uint32 // of the call
	flags uint8  // wire.Callee if the other side made it
	port  uint16
}

func (a *address) header(k wire.Kind, arg int) wire.Header {
	return wire.Header{Kind: k, Flags: a.flags, Port: a.port, ID: a.id, Arg: uint32(arg)}
}

// An incoming is the receiving end of a stream. The reader puts items in, encoded
// and as many to a chunk as came together; one goroutine takes them out. What is
// in it is bounded by the credit that the other side was given.
type incoming struct {
	address
	party *party // who takes items out

	mu     sync.Mutex
	queue  []chunk
	over   bool  // nothing more comes
	err    error // why, unless in order
	closed bool  // nobody takes any more
	bytes  int64 // credit that the other side has left
	items  int64

	// Of who takes items out.
	window               int64 // bytes of credit in all
	owedBytes, owedItems int64 // taken, and not given back as credit

	takenBytes, takenItems int64
}

// A chunk is some items as they came.
type chunk struct {
	data   []byte
	items  int
	owned  bool // nobody else uses the memory
	pooled *[chunkSize]byte
}

// chunkSize is the memory in which items that came one by one are kept together.
const chunkSize = 8 << 10

var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

// release lets go of the memory, of which nothing is used any more.
func (c *chunk) release() {
	if c.pooled != nil {
		chunks.Put(c.pooled)
	}
	*c = chunk{}
}

func newIncoming(a address, p *party) *incoming {
	limits := &a.conn.limits
	return &incoming{
		address: a, party: p,
		bytes: int64(limits.StreamBytes), items: int64(limits.StreamItems), window: int64(limits.StreamBytes),
	}
}

// push takes items that have come in. It runs in the reader's role.
func (in *incoming) push(r *reader, f wire.Frame, owned bool) error {
	n := int64(f.Arg)
	if n == 0 || n > int64(len(f.Body)) {
		return protocolError{fmt.Errorf("%d items in %d bytes", n, len(f.Body))}
	}
	in.mu.Lock()
	if in.closed || in.over && in.err != nil {
		in.mu.Unlock()
		return nil // they were on their way
	}
	if in.over || in.bytes <= 0 || in.items < n {
		bytes, items := in.bytes, in.items
		in.mu.Unlock()
		return protocolError{fmt.Errorf("%d items on port %d of call %d that it may not send (%d bytes and %d items are allowed)", n, f.Port, f.ID, bytes, items)}
	}
	in.bytes -= int64(len(f.Body))
	in.items -= n
	in.keep(f.Body, int(n), owned)
	in.mu.Unlock()
	in.party.wake(r)
	return nil
}

// keep appends to the queue. in.mu is held.
func (in *incoming) keep(b []byte, items int, owned bool) {
	if owned {
		in.queue = append(in.queue, chunk{data: b, items: items, owned: true})
		return
	}
	if last := len(in.queue) - 1; last >= 0 {
		c := &in.queue[last]
		if c.pooled != nil && len(b) <= cap(c.data)-len(c.data) {
			c.data = append(c.data, b...)
			c.items += items
			return
		}
	}
	if len(b) > chunkSize {
		in.queue = append(in.queue, chunk{data: bytes.Clone(b), items: items, owned: true})
		return
	}
	memory := chunks.Get().(*[chunkSize]byte)
	in.queue = append(in.queue, chunk{data: append(memory[:0], b...), items: items, pooled: memory})
}

// finish says that nothing more comes, and why if that is a fault. r is the reader
// if its role is the caller's, else nil.
func (in *incoming) finish(r *reader, err error) {
	in.mu.Lock()
	if !in.over {
		in.over, in.err = true, err
	}
	in.mu.Unlock()
	in.party.wake(r)
}

// ready reports whether next would not wait.
func (in *incoming) ready() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.queue) > 0 || in.over
}

// next takes the next items out and waits for them until ctx ends. It returns
// false at the end of the stream, with an error unless it ended in order.
func (in *incoming) next(ctx context.Context) (c chunk, ok bool, err error) {
	for {
		if err := in.party.attend(); err != nil { // one that never waits would not do it
			return c, false, err
		}
		in.mu.Lock()
		if len(in.queue) > 0 {
			c = in.queue[0]
			in.queue[0] = chunk{}
			if in.queue = in.queue[1:]; len(in.queue) == 0 {
				in.queue = nil
			}
			last := len(in.queue) == 0 && !in.over
			in.mu.Unlock()
			in.owedBytes += int64(len(c.data))
			in.owedItems += int64(c.items)
			in.takenBytes += int64(len(c.data))
			in.takenItems += int64(c.items)
			// An item that came alone comes from one who waits to see it taken.
			if last && c.items == 1 || 2*in.owedBytes >= in.window || 2*in.owedItems >= int64(in.conn.limits.StreamItems) {
				err = in.giveCredit(ctx, last)
			}
			return c, err == nil, err
		}
		over, failure := in.over, in.err
		in.mu.Unlock()
		if over {
			return c, false, failure
		}
		if in.owedItems > 0 { // we are about to wait, which the other side should know
			if err := in.giveCredit(ctx, true); err != nil {
				return c, false, err
			}
		}
		if err := in.party.wait(ctx, in.ready); err != nil {
			return c, false, err
		}
	}
}

// maxWindow bounds the credit in bytes that a stream grows to.
const maxWindow = 4 << 20

// giveCredit gives back as credit what was taken out. A sender that had used all
// of it gets more if nothing is left to take, as long as the connection has
// something to spare; one that is read slowly has no use for more.
func (in *incoming) giveCredit(ctx context.Context, empty bool) error {
	bytes, items := in.owedBytes, in.owedItems
	in.owedBytes, in.owedItems = 0, 0
	in.mu.Lock()
	if in.over || in.closed {
		in.mu.Unlock()
		return nil
	}
	if extra := min(in.window, maxWindow-in.window); empty && in.bytes <= 0 && extra > 0 && in.conn.spare.take(extra) {
		in.window += extra
		bytes += extra
	}
	in.bytes += bytes
	in.items += items
	in.mu.Unlock()
	var body [4]byte
	binary.LittleEndian.PutUint32(body[:], uint32(items))
	err := in.conn.sendSmall(ctx, in.header(wire.Credit, int(bytes)), body[:])
	if err != nil && linkEnded(err) {
		in.conn.sendFailed(err) // what has come is there all the same
		return nil
	}
	return err
}

// close says that nobody takes items any more: they are dropped. It reports
// whether the other side may be sending still.
func (in *incoming) close() (open bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.closed {
		return false
	}
	in.closed = true
	open = !in.over
	if len(in.queue) > 0 && in.err == nil {
		in.over, in.err = true, errOver // one that takes items all the same must not find an end in order
	}
	for i := range in.queue {
		in.queue[i].release()
	}
	in.queue = nil
	in.conn.spare.giveBack(in.window - int64(in.conn.limits.StreamBytes))
	return open
}

// spareCredit is how many bytes of credit the streams of a connection share beyond
// what each has.
const spareCredit = 16 << 20

// spare is what is left of it.
type spare struct{ left atomic.Int64 }

func (s *spare) take(n int64) bool {
	if s.left.Add(-n) >= 0 {
		return true
	}
	s.left.Add(n)
	return false
}

func (s *spare) giveBack(n int64) { s.left.Add(n) }
