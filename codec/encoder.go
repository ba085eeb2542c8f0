package codec

import "errors"

// SegmentSize is the length from which a []byte or string is not copied into
// the message while it is encoded, but travels as a segment that points at the
// user's memory and is copied chunk by chunk into the link.
const SegmentSize = 16 << 10

// MaxDepth is how deep values of recursive types may nest.
const MaxDepth = 100

// maxRecursive is how long a message may be before another recursive value
// begins. Connections allow less; this bounds the memory of one that would
// never end.
const maxRecursive = 1 << 30

var (
	errDepth = errors.New("value nests deeper than 100 levels, or contains itself")
	errSize  = errors.New("value of a recursive type takes more than 1 GiB: does it refer to the same parts many times?")
)

// A Segment is a large value that belongs into the encoded bytes before offset At.
type Segment struct {
	At   int
	Data []byte // the user's memory: read only
}

// An Encoder carries what a chain of append functions shares: large segments,
// the nesting depth, and the first failure. The zero value is ready.
type Encoder struct {
	segments []Segment
	depth    int
	err      error
}

// Reset makes e ready for another message and forgets the segments.
func (e *Encoder) Reset() {
	clear(e.segments)
	e.segments = e.segments[:0]
	e.depth = 0
	e.err = nil
}

// Segments returns the large values of the message in order of their offsets.
// It is valid until the next append or Reset.
func (e *Encoder) Segments() []Segment { return e.segments }

// Err returns the first failure.
func (e *Encoder) Err() error { return e.err }

// Plain reports whether the bytes are the whole message: nothing has failed, and there
// are no segments.
func (e *Encoder) Plain() bool { return e.err == nil && len(e.segments) == 0 }

// Fail records the first failure; the message is not sent then.
func (e *Encoder) Fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// Enter begins a value of a recursive type, which is to be appended to b. False
// means that it must not be: it nests too deep, the message has grown beyond
// all limits (the same parts may be referred to again and again), or something
// failed before. Leave ends a value that Enter allowed.
func (e *Encoder) Enter(b []byte) bool {
	switch {
	case e.err != nil:
		return false
	case e.depth == MaxDepth:
		e.err = errDepth
		return false
	case len(b) > maxRecursive:
		e.err = errSize
		return false
	}
	e.depth++
	return true
}

// Leave ends a value that Enter allowed.
func (e *Encoder) Leave() { e.depth-- }
