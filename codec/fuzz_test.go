package codec_test

import (
	"encoding/hex"
	"testing"

	"github.com/tenon-go/tenon/codec"
)

// FuzzDecoder lets a program of reads meet arbitrary bytes: nothing may panic,
// read beyond the message, or succeed after a failure.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, []byte{0x93, 1, 0xa1, 'x', 0xc0})
	for _, wire := range []string{"dfffffffff", "ddffffffff00", "c6ffffffff", "dbffffffff", "c70cff", "d6ff00000000", "c1"} {
		data, _ := hex.DecodeString(wire)
		f.Add([]byte{6, 7, 10, 11, 12, 8}, data)
	}
	f.Fuzz(func(t *testing.T, program, message []byte) {
		var d codec.Decoder
		d.Reset(message)
		reads := []func(){
			func() { d.Bool() }, func() { d.Int64() }, func() { d.Int8() }, func() { d.Uint64() }, func() { d.Uint16() },
			func() { d.Float32() }, func() { _ = d.String() }, func() { d.Bytes() }, func() { d.Time() }, func() { d.Float64() },
			func() {
				if n := d.Array(); n > len(message) {
					t.Fatalf("array of %d elements in %d bytes", n, len(message))
				}
			},
			func() {
				if n := d.Map(); 2*n > len(message) {
					t.Fatalf("map of %d entries in %d bytes", n, len(message))
				}
			},
			func() { d.Skip() }, func() { d.Strings() }, func() { d.Nil() }, func() { d.ByteArray(make([]byte, 3)) },
		}
		failed := false
		for _, op := range program {
			reads[int(op)%len(reads)]()
			if failed && d.Err() == nil {
				t.Fatal("the failure did not stick")
			}
			failed = d.Err() != nil
		}
		if err := d.Finish(); failed && err == nil {
			t.Fatal("Finish forgot the failure")
		}
	})
}
