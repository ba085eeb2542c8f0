package codec

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"math"
	"time"
	"unsafe"

	"github.com/tinylib/msgp/msgp"
)

// Most values are small: MessagePack says them and their lengths in one byte,
// which is read and written here, without a call.
const (
	maxFixInt               = 0x7f
	fixArray, maxFixArray   = 0x90, 0x0f
	fixString, maxFixString = 0xa0, 0x1f
	int32Code               = 0xd2
)

// AppendNil appends a nil: an absent pointer, slice or map.
func AppendNil(b []byte) []byte { return msgp.AppendNil(b) }

// AppendBool appends a bool.
func AppendBool(b []byte, v bool) []byte { return msgp.AppendBool(b, v) }

// AppendInt appends a signed integer in its shortest form.
func AppendInt(b []byte, v int64) []byte {
	if uint64(v) <= maxFixInt {
		return append(b, byte(v))
	}
	return appendInt(b, v)
}

// appendInt is AppendInt for any integer. Those of four bytes are a fifth quicker
// here than in msgp.
func appendInt(b []byte, v int64) []byte {
	if v > math.MaxInt16 && v <= math.MaxInt32 {
		return append(b, int32Code, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
	}
	return msgp.AppendInt64(b, v)
}

// AppendUint appends an unsigned integer in its shortest form.
func AppendUint(b []byte, v uint64) []byte { return msgp.AppendUint64(b, v) }

// AppendFloat32 appends a float32, bit for bit.
func AppendFloat32(b []byte, v float32) []byte { return msgp.AppendFloat32(b, v) }

// AppendFloat64 appends a float64, bit for bit.
func AppendFloat64(b []byte, v float64) []byte { return msgp.AppendFloat64(b, v) }

// AppendTime appends the instant t as the standard timestamp of MessagePack, in
// the shortest of its three forms and without its location. (msgp.AppendTimeExt
// does the same at several times the cost: it truncates where Unix is enough.)
func AppendTime(b []byte, t time.Time) []byte {
	const fixext4, fixext8, ext8, timestamp = 0xd6, 0xd7, 0xc7, 0xff
	seconds, nanos := t.Unix(), uint32(t.Nanosecond())
	switch {
	case seconds>>34 != 0:
		b = append(b, ext8, 12, timestamp)
		b = binary.BigEndian.AppendUint32(b, nanos)
		return binary.BigEndian.AppendUint64(b, uint64(seconds))
	case nanos != 0 || seconds>>32 != 0:
		b = append(b, fixext8, timestamp)
		return binary.BigEndian.AppendUint64(b, uint64(nanos)<<34|uint64(seconds))
	default:
		b = append(b, fixext4, timestamp)
		return binary.BigEndian.AppendUint32(b, uint32(seconds))
	}
}

// AppendString appends a string. From [SegmentSize] on b receives only its
// header, and e refers to s.
func AppendString(b []byte, e *Encoder, s string) []byte {
	if len(s) <= maxFixString {
		return append(append(b, fixString|byte(len(s))), s...)
	}
	if len(s) < SegmentSize {
		return msgp.AppendString(b, s)
	}
	return e.appendSegment(appendStringHeader(b, e, len(s)), unsafe.Slice(unsafe.StringData(s), len(s)))
}

// AppendBytes appends a []byte, nil included. From [SegmentSize] on b receives
// only its header, and e refers to v.
func AppendBytes(b []byte, e *Encoder, v []byte) []byte {
	switch {
	case v == nil:
		return msgp.AppendNil(b)
	case len(v) < SegmentSize:
		return msgp.AppendBytes(b, v)
	}
	return e.appendSegment(msgp.AppendBytesHeader(b, e.length(len(v))), v)
}

// AppendByteArray appends a copy of the bytes of an array.
func AppendByteArray(b []byte, e *Encoder, v []byte) []byte {
	e.length(len(v))
	return msgp.AppendBytes(b, v)
}

// AppendArray appends the header of n values that follow: the elements of a
// slice or the fields of a struct.
func AppendArray(b []byte, e *Encoder, n int) []byte {
	if uint(n) <= maxFixArray {
		return append(b, fixArray|byte(n))
	}
	return appendArray(b, e, n)
}

// appendArray is AppendArray for any length.
func appendArray(b []byte, e *Encoder, n int) []byte {
	return msgp.AppendArrayHeader(b, e.length(n))
}

// AppendMap appends the header of n pairs of key and value that follow.
func AppendMap(b []byte, e *Encoder, n int) []byte {
	return msgp.AppendMapHeader(b, e.length(n))
}

// AppendText appends what v.MarshalText returns, as a string.
func AppendText(b []byte, e *Encoder, v encoding.TextMarshaler) []byte {
	text, err := v.MarshalText()
	if err != nil {
		e.Fail(fmt.Errorf("%T: %w", v, err))
	}
	return AppendString(b, e, unsafe.String(unsafe.SliceData(text), len(text)))
}

// AppendBinary appends what v.MarshalBinary returns, as bytes.
func AppendBinary(b []byte, e *Encoder, v encoding.BinaryMarshaler) []byte {
	data, err := v.MarshalBinary()
	if err != nil {
		e.Fail(fmt.Errorf("%T: %w", v, err))
	}
	if data == nil {
		data = []byte{}
	}
	return AppendBytes(b, e, data)
}

func (e *Encoder) appendSegment(b, data []byte) []byte {
	e.segments = append(e.segments, Segment{At: len(b), Data: data})
	return b
}

// length checks a length against what MessagePack can say.
func (e *Encoder) length(n int) uint32 {
	if uint64(n) > math.MaxUint32 {
		e.Fail(fmt.Errorf("%d elements are more than a message can hold", n))
		return 0
	}
	return uint32(n)
}

// appendStringHeader appends the header of a string of at least SegmentSize,
// for which msgp has no function.
func appendStringHeader(b []byte, e *Encoder, n int) []byte {
	size := e.length(n)
	if size <= math.MaxUint16 {
		return append(b, 0xda, byte(size>>8), byte(size))
	}
	return append(b, 0xdb, byte(size>>24), byte(size>>16), byte(size>>8), byte(size))
}
