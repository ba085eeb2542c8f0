package codec_test

import (
	"fmt"

	"github.com/tenon-go/tenon/codec"
)

type Point struct{ X, Y int }

func appendPoint(b []byte, e *codec.Encoder, v *Point) []byte {
	b = codec.AppendArray(b, e, 2)
	b = codec.AppendInt(b, int64(v.X))
	return codec.AppendInt(b, int64(v.Y))
}

func decodePoint(d *codec.Decoder, v *Point) {
	for i := range d.Array() {
		switch i {
		case 0:
			v.X = d.Int()
		case 1:
			v.Y = d.Int()
		default:
			d.Skip() // a field that a newer peer has appended
		}
		if d.Err() != nil {
			d.InField(i, "X", "Y")
			return
		}
	}
}

func Example() {
	var e codec.Encoder
	message := appendPoint(nil, &e, &Point{X: 3, Y: -4})
	fmt.Printf("% x\n", message)

	var d codec.Decoder
	var p Point
	d.Reset(message)
	decodePoint(&d, &p)
	fmt.Println(p, d.Finish())
	// Output:
	// 92 03 fc
	// {3 -4} <nil>
}

func ExampleDecoder_InField() {
	var e codec.Encoder
	message := codec.AppendArray(nil, &e, 2)
	message = codec.AppendInt(message, 3)
	message = codec.AppendString(message, &e, "minus four")

	var d codec.Decoder
	var p Point
	d.Reset(message)
	decodePoint(&d, &p)
	fmt.Println(d.Finish())
	// Output: Y: want int, got string
}

func ExampleEncoder() {
	picture := make([]byte, 1<<20)
	var e codec.Encoder
	message := codec.AppendBytes(nil, &e, picture)
	fmt.Println(len(message), "bytes appended")
	for _, s := range e.Segments() {
		fmt.Println(len(s.Data), "bytes of the user at offset", s.At)
	}
	// Output:
	// 5 bytes appended
	// 1048576 bytes of the user at offset 5
}

// A value whose type is known later is kept as it is encoded.
func ExampleDecoder_Raw() {
	var e codec.Encoder
	b := codec.AppendArray(nil, &e, 2)
	b = codec.AppendString(b, &e, "price")
	b = codec.AppendInt(b, 300)

	var d codec.Decoder
	d.Reset(b)
	d.FixedArray(2)
	kind, value := d.String(), d.Raw()
	fmt.Println(kind, d.Finish())

	d.Reset(value)
	fmt.Println(d.Int(), d.Finish())
	// Output:
	// price <nil>
	// 300 <nil>
}
