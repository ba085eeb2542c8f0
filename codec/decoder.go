package codec

import (
	"fmt"

	"github.com/tinylib/msgp/msgp"
)

// A Decoder reads values from one message. The first failure sticks: every
// later read returns the zero value.
type Decoder struct {
	b     []byte
	at    int  // b is read up to here. It moves and b stays: a pointer costs more to change while memory is collected
	owned bool // b belongs to the values: they may point into it
	slab  slab
	size  uint64 // of the message
	spent uint64 // memory that values took, see spend
	depth int
	err   error
}

// Reset makes d read b, which it does not keep: values that need memory copy
// out of it.
func (d *Decoder) Reset(b []byte) { *d = Decoder{b: b, size: uint64(len(b))} }

// ResetOwned makes d read b, which nobody else uses: decoded strings and byte
// slices may point into it.
func (d *Decoder) ResetOwned(b []byte) { *d = Decoder{b: b, owned: true, size: uint64(len(b))} }

// Err returns the first failure.
func (d *Decoder) Err() error { return d.err }

// Finish returns the first failure, or an error when bytes are left over.
func (d *Decoder) Finish() error {
	if left := len(d.b) - d.at; d.err == nil && left > 0 {
		d.Fail(fmt.Errorf("%d bytes are left over after the value", left))
	}
	return d.err
}

// rest is what is not read yet.
func (d *Decoder) rest() []byte { return d.b[d.at:] }

// leave says what is left of the rest.
func (d *Decoder) leave(rest []byte) { d.at = len(d.b) - len(rest) }

// Nil reports whether the next value is nil, and reads it if so.
func (d *Decoder) Nil() bool {
	if d.err != nil || !msgp.IsNil(d.rest()) {
		return false
	}
	d.at++
	return true
}

// Array reads the header of an array and returns the number of values that
// follow, which is never more than there are bytes left.
func (d *Decoder) Array() int {
	if d.err == nil && d.at < len(d.b) {
		if n := int(d.b[d.at] ^ fixArray); n <= maxFixArray && n < len(d.b)-d.at {
			d.at++
			return n
		}
	}
	return d.array()
}

// array is Array for those of any length.
func (d *Decoder) array() int {
	if d.err != nil {
		return 0
	}
	n, rest, err := msgp.ReadArrayHeaderBytes(d.rest())
	if err != nil {
		d.mismatch("array", err)
		return 0
	}
	if uint64(n) > uint64(len(rest)) {
		d.Fail(fmt.Errorf("array of %d elements in %d bytes", n, len(rest)))
		return 0
	}
	d.leave(rest)
	return int(n)
}

// FixedArray reads the header of an array of exactly n values and reports
// whether it was one.
func (d *Decoder) FixedArray(n int) bool {
	got := d.Array()
	if d.err == nil && got != n {
		d.Fail(fmt.Errorf("want an array of %d elements, got %d", n, got))
	}
	return d.err == nil
}

// Map reads the header of a map and returns the number of pairs that follow,
// which is never more than there are bytes left for.
func (d *Decoder) Map() int {
	if d.err != nil {
		return 0
	}
	n, rest, err := msgp.ReadMapHeaderBytes(d.rest())
	if err != nil {
		d.mismatch("map", err)
		return 0
	}
	if 2*uint64(n) > uint64(len(rest)) {
		d.Fail(fmt.Errorf("map of %d entries in %d bytes", n, len(rest)))
		return 0
	}
	d.leave(rest)
	return int(n)
}

// Skip reads one value of any type and drops it.
func (d *Decoder) Skip() {
	if d.err != nil {
		return
	}
	rest, err := msgp.Skip(d.rest())
	if err != nil {
		d.mismatch("value", err)
		return
	}
	d.leave(rest)
}

// Enter begins a value of a recursive type and reports whether it may be read.
// Leave ends a value that Enter allowed.
func (d *Decoder) Enter() bool {
	if d.err != nil {
		return false
	}
	if d.depth == MaxDepth {
		d.Fail(errDepth)
		return false
	}
	d.depth++
	return true
}

// Leave ends a value that Enter allowed.
func (d *Decoder) Leave() { d.depth-- }
