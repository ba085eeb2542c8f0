package codec

// SegmentSize is the length from which a []byte or string is not copied into
// the message while it is encoded, but travels as a segment that points at the
// user's memory and is copied chunk by chunk into the link.
const SegmentSize = 16 << 10

// A Segment is a large value that belongs into the encoded bytes before offset At.
type Segment struct {
	At   int
	Data []byte
}

// An Encoder carries what a chain of append functions shares: large segments,
// the nesting depth, and the first failure. The zero value is ready.
type Encoder struct {
	segments []Segment
	err      error
}

// Reset makes e ready for another message and forgets the segments.
func (e *Encoder) Reset() {
	clear(e.segments)
	e.segments = e.segments[:0]
	e.err = nil
}

func (e *Encoder) Segments() []Segment { return e.segments }
func (e *Encoder) Err() error          { return e.err }

// Fail records the first failure; the message is not sent then.
func (e *Encoder) Fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// A Decoder reads values from one message. The first failure sticks: every
// later read returns the zero value.
type Decoder struct {
	b     []byte
	owned bool
	err   error
}

// Reset makes d read b, which it does not keep: values that need memory copy
// out of it.
func (d *Decoder) Reset(b []byte) { *d = Decoder{b: b} }

// ResetOwned makes d read b, which nobody else uses: decoded strings and byte
// slices may point into it.
func (d *Decoder) ResetOwned(b []byte) { *d = Decoder{b: b, owned: true} }

// Finish returns the first failure, or an error when bytes are left over.
func (d *Decoder) Finish() error { return d.err }
