package codec

import "github.com/tinylib/msgp/msgp"

// AppendRaw appends one value that is encoded already. From [SegmentSize] on e
// refers to it instead.
func AppendRaw(b []byte, e *Encoder, value []byte) []byte {
	if len(value) < SegmentSize {
		return append(b, value...)
	}
	return e.appendSegment(b, value)
}

// Raw reads one value of any type and returns its encoded form, which the
// receiver may keep.
func (d *Decoder) Raw() []byte {
	if d.err != nil {
		return nil
	}
	rest, err := msgp.Skip(d.rest())
	if err != nil {
		d.mismatch("value", err)
		return nil
	}
	begin := d.at
	d.leave(rest)
	value := d.b[begin:d.at:d.at]
	return d.keep(value)
}
