package kinds

import (
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/codec"
)

// A reader decodes hostile bytes as the arguments of one method, and encodes
// what it understood.
type reader func(t *testing.T, message []byte)

func readerOf[A, R any](m *tenon.Method[A, R]) reader {
	return func(t *testing.T, message []byte) {
		var (
			d codec.Decoder
			v A
		)
		d.Reset(message)
		m.Args.Decode(&d, &v)
		if d.Finish() != nil {
			return
		}
		// What was understood can be sent on, and is understood again.
		var e codec.Encoder
		again := m.Args.Append(nil, &e, &v)
		if e.Err() != nil || len(e.Segments()) > 0 {
			return
		}
		d.Reset(again)
		m.Args.Decode(&d, new(A))
		if err := d.Finish(); err != nil {
			t.Fatalf("%x was understood, but not what became of it: %v", message, err)
		}
	}
}

var readers = []reader{
	readerOf(&kindsNumbers), readerOf(&kindsTexts), readerOf(&kindsTimes), readerOf(&kindsCollections),
	readerOf(&kindsPointers), readerOf(&kindsNested), readerOf(&kindsMarshalers), readerOf(&kindsRecursive),
	readerOf(&kindsForeign), readerOf(&kindsNothing), readerOf(&kindsUnnamed), readerOf(&kindsVariadic),
}

func FuzzDecodersOfArguments(f *testing.F) {
	seed := func(which byte, message []byte) { f.Add(which, message) }
	one := 1
	seed(0, encode(f, kindsAppendNumbersArgs, &kindsNumbersArgs{Numbers{Int: -1, Uint64: 1 << 63, Float32: 1}}))
	seed(1, encode(f, kindsAppendTextsArgs, &kindsTextsArgs{Texts{String: "s", Bytes: []byte{1}}}))
	seed(2, encode(f, kindsAppendTimesArgs, &kindsTimesArgs{Times{Stamps: []time.Time{{}, time.Unix(1, 1)}}}))
	seed(3, encode(f, kindsAppendCollectionsArgs, &kindsCollectionsArgs{Collections{Matrix: [][]int{{1}, nil}, ByLevel: map[Level][]string{Low: {"x"}}}}))
	seed(4, encode(f, kindsAppendPointersArgs, &kindsPointersArgs{Pointers{Int: &one, Bytes: new([]byte)}}))
	seed(5, encode(f, kindsAppendNestedArgs, &kindsNestedArgs{Nested{Page: Page[Base]{Next: &Page[Base]{Items: []Base{{}}}}}}))
	seed(6, encode(f, kindsAppendMarshalersArgs, &kindsMarshalersArgs{}))
	seed(7, encode(f, kindsAppendRecursiveArgs, &kindsRecursiveArgs{Tree{Children: []Tree{{}}}, &List{Next: &List{}}, Forest{{}, nil}}))
	seed(8, encode(f, kindsAppendForeignArgs, &kindsForeignArgs{}))
	seed(7, []byte{0x91, 0x92, 0xa0, 0xdd, 0xff, 0xff, 0xff, 0xff})
	seed(3, []byte{0x91, 0x9d, 0xdd, 0x00, 0x00, 0x00, 0xff})
	f.Fuzz(func(t *testing.T, which byte, message []byte) {
		readers[int(which)%len(readers)](t, message)
	})
}
