package codec_test

import (
	"bytes"
	"testing"

	"github.com/tinylib/msgp/msgp"

	"github.com/tenon-go/tenon/codec"
)

func TestRawValuesPassAsTheyAre(t *testing.T) {
	for _, size := range []int{0, 1, 100, codec.SegmentSize, 3 * codec.SegmentSize} {
		var e codec.Encoder
		value := msgp.AppendBytes(nil, make([]byte, size))
		b := codec.AppendRaw(codec.AppendArray(nil, &e, 2), &e, value)
		if direct := len(e.Segments()) == 0; direct != (len(value) < codec.SegmentSize) {
			t.Errorf("size %d: copied is %v", size, direct)
		}
		b = codec.AppendInt(b, 7)
		message := joined(b, e.Segments())
		var d codec.Decoder
		d.Reset(message)
		if !d.FixedArray(2) {
			t.Fatal(d.Err())
		}
		got := d.Raw()
		if seven := d.Int(); !bytes.Equal(got, value) || seven != 7 || d.Finish() != nil {
			t.Errorf("size %d: %d bytes, %d, %v", size, len(got), seven, d.Err())
		}
		clear(message)
		if !bytes.Equal(got, value) {
			t.Errorf("size %d: the value lies in the message", size)
		}
	}
}

func TestRawOfBrokenBytesFails(t *testing.T) {
	for _, b := range [][]byte{nil, {0xc1}, {0x92, 1}, {0xc4, 5, 1}} {
		var d codec.Decoder
		d.Reset(b)
		if d.Raw(); d.Err() == nil {
			t.Errorf("% x was read", b)
		}
	}
}

func TestPointeesAreNeverNil(t *testing.T) {
	appendTo := codec.AppendPointee(func(b []byte, _ *codec.Encoder, v *int) []byte { return codec.AppendInt(b, int64(*v)) })
	decode := codec.DecodePointee(func(d *codec.Decoder, v *int) { *v = d.Int() })
	var (
		e    codec.Encoder
		d    codec.Decoder
		n    = 7
		here = &n
		got  *int
	)
	d.Reset(appendTo(nil, &e, &here))
	if decode(&d, &got); d.Finish() != nil || *got != 7 {
		t.Error(got, d.Err())
	}
	d.Reset(codec.AppendNil(nil))
	if decode(&d, &got); d.Err() == nil || got == nil {
		t.Error("nil was decoded")
	}
	here = nil
	if appendTo(nil, &e, &here); e.Err() == nil {
		t.Error("nil was appended")
	}
}
