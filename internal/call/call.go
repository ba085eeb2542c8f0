// Package call describes one unary call on its way from a stub to whoever
// carries it: a connection, a pool, a client that reconnects. It is internal so
// that tenon.Caller stays sealed: only packages of tenon can name its argument.
package call

import (
	"bytes"
	"errors"
	"hash/fnv"
	"sync/atomic"
	"time"

	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/wire"
)

// A Method is what both sides of a connection compare: the name on the wire and
// the shape of arguments and results.
type Method struct {
	Name       string
	Shape      string
	Ports      int // streams and functions
	OneWay     bool
	Idempotent bool

	index atomic.Uint32 // position in per-connection tables, 0 = not given yet
}

var methods atomic.Uint32

// Index returns a small number that is unique to m within this process, so that
// a connection finds what it knows of m without hashing its name.
func (m *Method) Index() int {
	if i := m.index.Load(); i != 0 {
		return int(i)
	}
	m.index.CompareAndSwap(0, methods.Add(1))
	return int(m.index.Load())
}

// Fingerprint is the FNV-1a hash of the shape.
func (m *Method) Fingerprint() uint64 {
	h := fnv.New64a()
	h.Write([]byte(m.Shape))
	return h.Sum64()
}

// ErrInvoke is what a carrier answers that can't carry out a call in two halves.
var ErrInvoke = errors.New("call: invoke it as a whole")

// A Call is one call: the method, and the values on the caller's side.
type Call struct {
	Method *Method
	Values Values
	// UserCode says that encoding the arguments runs code of the user, which
	// must not happen inside a reservation of the link.
	UserCode bool
	// CheckOnly compares the contracts and sends nothing.
	CheckOnly bool
	// Place is what the call occupies until its handler has ended, or nil. A
	// carrier whose Invoke returns earlier, because the caller gave up, takes it
	// over: it sets Place to nil, and calls Leave once the handler has ended.
	Place Place
	// Spent says that the input or the output of the call was begun, so that it
	// must not be carried out a second time.
	Spent bool
	// Talk is what the call has beside arguments and answer, or nil; it belongs to
	// package tenon.
	Talk any
	// Port is not 0 for a function among the arguments of the call Parent, which
	// the peer made.
	Port   uint16
	Parent uint32
	// Tally counts what travels, or is nil. Whoever sends the call begins it anew.
	Tally *Tally

	// What follows belongs to the connection that carries the call out.

	// ID is the call's id on the wire, given when its first frame is committed;
	// 0 before.
	ID uint32
	// Waiter is the caller, who waits until the outcome stands in Outcome.
	Waiter
	// Remaining is the time until the caller's deadline, 0 for none.
	Remaining time.Duration
	// Metadata is encoded already; empty for none.
	Metadata []byte
	Outcome  Outcome
	decoder  codec.Decoder // here since a local variable would be allocated
	buffer   []byte
}

// A Waiter is a goroutine that waits for something the other side sends, and
// may read for itself meanwhile.
type Waiter struct {
	// Settled is signalled once for each wait when it is over. It is made once
	// and kept for the next use.
	Settled chan struct{}
	Parked  atomic.Bool   // it sleeps until Settled
	Leads   bool          // it has the reader's role
	Stays   bool          // when it leads, it wants what comes behind the end of its wait too
	Since   time.Duration // when the wait began that it abandoned; see spin.Quick
}

// NewWaiter returns a Waiter that is ready.
func NewWaiter() Waiter { return Waiter{Settled: make(chan struct{}, 1)} }

// A Place is something that a call occupies while it runs, such as a member of a
// pool. Its methods are called where nobody must wait: under locks of a connection,
// or in the role of its reader.
type Place interface {
	// Leave gives the place back.
	Leave()
	// Scarce reports whether there is no other one, so that somebody may soon wait
	// for this one. A carrier asks when it takes the place over, and then sees to it
	// that the end of the handler is noticed at once.
	Scarce() bool
}

// An Outcome is how a call ended: with the encoded results, or with Err.
type Outcome struct {
	Result   []byte
	Owned    bool   // nobody else uses the memory of Result
	Metadata []byte // of the answer, encoded
	Err      error
}

// maxKept bounds the buffer that a Call keeps for its next use. Larger results
// get memory of their own, which the decoded values then may keep.
const maxKept = 2 << 10

// SetResult copies an encoded result, which lies in memory of the link, out.
func (c *Call) SetResult(b []byte) {
	if len(b) > maxKept {
		c.Outcome = Outcome{Result: bytes.Clone(b), Owned: true}
		return
	}
	c.buffer = append(c.buffer[:0], b...)
	c.Outcome = Outcome{Result: c.buffer}
}

// Decode decodes the result of a call that succeeded, and lets go of its memory.
func (c *Call) Decode() error {
	if c.Outcome.Owned {
		c.decoder.ResetOwned(c.Outcome.Result)
	} else {
		c.decoder.Reset(c.Outcome.Result)
	}
	c.Values.DecodeResult(&c.decoder)
	err := c.decoder.Finish()
	c.decoder.Reset(nil)
	c.Outcome = Outcome{}
	return err
}

// AppendBody appends what travels in the call's frame behind the header.
func (c *Call) AppendBody(b []byte, e *codec.Encoder) []byte {
	if c.Remaining > 0 {
		b = wire.AppendDeadline(b, c.Remaining)
	}
	if len(c.Metadata) > 0 {
		b = wire.AppendMetadata(b, c.Metadata)
	}
	if c.Tally == nil {
		return c.Values.AppendArgs(b, e)
	}
	before := len(b)
	b = c.Values.AppendArgs(b, e)
	c.Tally.SentBytes = Size(b[before:], e)
	return b
}

// A Tally is what interceptors are told of a call when it is over.
type Tally struct {
	Carrier                  any   // the connection that carries it
	SentBytes, ReceivedBytes int64 // encoded values
	SentItems, ReceivedItems int64
}

// Size is the size in bytes of encoded values with the segments in them.
func Size(encoded []byte, e *codec.Encoder) int64 {
	n := len(encoded)
	for _, s := range e.Segments() {
		n += len(s.Data)
	}
	return int64(n)
}

// Values encodes the arguments and decodes the results of a Call.
type Values interface {
	AppendArgs(b []byte, e *codec.Encoder) []byte
	DecodeResult(d *codec.Decoder)
}
