package codec

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"fmt"
	"math"
	"time"
	"unsafe"

	"github.com/tinylib/msgp/msgp"
)

// Bool reads a bool.
func (d *Decoder) Bool() bool {
	if d.err != nil {
		return false
	}
	v, rest, err := msgp.ReadBoolBytes(d.rest())
	if err != nil {
		d.mismatch("bool", err)
		return false
	}
	d.leave(rest)
	return v
}

// Int64 reads an integer, which must fit.
func (d *Decoder) Int64() int64 { return d.signed(math.MinInt64, math.MaxInt64, "int64") }

// Int32 reads an integer, which must fit.
func (d *Decoder) Int32() int32 { return int32(d.signed(math.MinInt32, math.MaxInt32, "int32")) }

// Int16 reads an integer, which must fit.
func (d *Decoder) Int16() int16 { return int16(d.signed(math.MinInt16, math.MaxInt16, "int16")) }

// Int8 reads an integer, which must fit.
func (d *Decoder) Int8() int8 { return int8(d.signed(math.MinInt8, math.MaxInt8, "int8")) }

// Int reads an integer, which must fit.
func (d *Decoder) Int() int { return int(d.signed(math.MinInt, math.MaxInt, "int")) }

// Uint64 reads an integer that is not negative and must fit.
func (d *Decoder) Uint64() uint64 { return d.unsigned(math.MaxUint64, "uint64") }

// Uint32 reads an integer that is not negative and must fit.
func (d *Decoder) Uint32() uint32 { return uint32(d.unsigned(math.MaxUint32, "uint32")) }

// Uint16 reads an integer that is not negative and must fit.
func (d *Decoder) Uint16() uint16 { return uint16(d.unsigned(math.MaxUint16, "uint16")) }

// Uint8 reads an integer that is not negative and must fit.
func (d *Decoder) Uint8() uint8 { return uint8(d.unsigned(math.MaxUint8, "uint8")) }

// Uint reads an integer that is not negative and must fit.
func (d *Decoder) Uint() uint { return uint(d.unsigned(math.MaxUint, "uint")) }

// Uintptr reads an integer that is not negative and must fit.
func (d *Decoder) Uintptr() uintptr { return uintptr(d.unsigned(math.MaxUint, "uintptr")) }

func (d *Decoder) signed(low, high int64, want string) int64 {
	if d.err != nil {
		return 0
	}
	if d.at < len(d.b) && d.b[d.at] <= maxFixInt {
		d.at++
		return int64(d.b[d.at-1])
	}
	if rest := d.rest(); len(rest) >= 5 && rest[0] == int32Code && high >= math.MaxInt32 {
		d.at += 5
		return int64(int32(binary.BigEndian.Uint32(rest[1:])))
	}
	v, rest, err := msgp.ReadInt64Bytes(d.rest())
	switch {
	case err != nil:
		d.mismatch(want, err)
		return 0
	case v < low || v > high:
		d.Fail(fmt.Errorf("%d does not fit into %s", v, want))
		return 0
	}
	d.leave(rest)
	return v
}

func (d *Decoder) unsigned(high uint64, want string) uint64 {
	if d.err != nil {
		return 0
	}
	if d.at < len(d.b) && d.b[d.at] <= maxFixInt {
		d.at++
		return uint64(d.b[d.at-1])
	}
	v, rest, err := msgp.ReadUint64Bytes(d.rest())
	switch {
	case err != nil:
		d.mismatch(want, err)
		return 0
	case v > high:
		d.Fail(fmt.Errorf("%d does not fit into %s", v, want))
		return 0
	}
	d.leave(rest)
	return v
}

// Float64 reads a float. An integer is taken too when it is exact, because
// other languages write whole numbers so.
func (d *Decoder) Float64() float64 {
	if d.err != nil {
		return 0
	}
	if v, rest, err := msgp.ReadFloat64Bytes(d.rest()); err == nil {
		d.leave(rest)
		return v
	}
	return d.whole("float64", 1<<53)
}

// Float32 reads a float of 32 bits, or an integer that is exact.
func (d *Decoder) Float32() float32 {
	if d.err != nil {
		return 0
	}
	if v, rest, err := msgp.ReadFloat32Bytes(d.rest()); err == nil {
		d.leave(rest)
		return v
	}
	return float32(d.whole("float32", 1<<24))
}

// whole reads an integer of at most limit where a float is wanted.
func (d *Decoder) whole(want string, limit int64) float64 {
	v, rest, err := msgp.ReadInt64Bytes(d.rest())
	switch {
	case err != nil:
		d.mismatch(want, err)
		return 0
	case v < -limit || v > limit:
		d.Fail(fmt.Errorf("%d does not fit into %s", v, want))
		return 0
	}
	d.leave(rest)
	return float64(v)
}

// Time reads an instant, in UTC.
func (d *Decoder) Time() time.Time {
	if d.err != nil {
		return time.Time{}
	}
	t, rest, err := msgp.ReadTimeBytes(d.rest())
	if err != nil {
		d.mismatch("time", err)
		return time.Time{}
	}
	d.leave(rest)
	return t.UTC()
}

// String reads a string.
func (d *Decoder) String() string {
	text := d.text()
	if len(text) == 0 {
		return ""
	}
	text = d.keep(text)
	return unsafe.String(unsafe.SliceData(text), len(text))
}

// Bytes reads a []byte, nil included. Appending to it does not disturb other
// values.
func (d *Decoder) Bytes() []byte {
	if d.Nil() || d.err != nil {
		return nil
	}
	data := d.binary()
	switch {
	case d.err != nil:
		return nil
	case len(data) == 0:
		return []byte{}
	}
	return d.keep(data)
}

// ByteArray reads exactly len(into) bytes.
func (d *Decoder) ByteArray(into []byte) {
	data := d.binary()
	if d.err == nil && len(data) != len(into) {
		d.Fail(fmt.Errorf("want %d bytes, got %d", len(into), len(data)))
	}
	copy(into, data)
}

// Text reads a string and gives it to v.
func (d *Decoder) Text(v encoding.TextUnmarshaler) {
	text := d.text()
	if d.err != nil {
		return
	}
	if err := v.UnmarshalText(text); err != nil {
		d.Fail(fmt.Errorf("%T: %w", v, err))
	}
}

// Binary reads bytes and gives them to v.
func (d *Decoder) Binary(v encoding.BinaryUnmarshaler) {
	data := d.binary()
	if d.err != nil {
		return
	}
	if err := v.UnmarshalBinary(data); err != nil {
		d.Fail(fmt.Errorf("%T: %w", v, err))
	}
}

// text reads a string that still lies in the message.
func (d *Decoder) text() []byte {
	if d.err != nil {
		return nil
	}
	if d.at < len(d.b) {
		if n := int(d.b[d.at] ^ fixString); n <= maxFixString && n < len(d.b)-d.at {
			begin := d.at + 1
			d.at = begin + n
			return d.b[begin:d.at:d.at]
		}
	}
	v, rest, err := msgp.ReadStringZC(d.rest())
	if err != nil {
		d.mismatch("string", err)
		return nil
	}
	d.leave(rest)
	return v[:len(v):len(v)]
}

// binary reads bytes that still lie in the message.
func (d *Decoder) binary() []byte {
	if d.err != nil {
		return nil
	}
	v, rest, err := msgp.ReadBytesZC(d.rest())
	if err != nil {
		d.mismatch("bytes", err)
		return nil
	}
	d.leave(rest)
	return v[:len(v):len(v)]
}

// keep returns v, which lies right before the rest of the message, in memory
// that the receiver may keep. The first time in a message it copies v and all
// that follows into one block, and from then on reads that block.
func (d *Decoder) keep(v []byte) []byte {
	if d.owned {
		return v
	}
	block := bytes.Clone(d.b[d.at-len(v):])
	d.b, d.at, d.owned = block, len(v), true
	return block[:len(v):len(v)]
}
