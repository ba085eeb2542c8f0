// Package codec appends values to a message and reads them back. The wire form
// is MessagePack; code that "tenon gen" writes calls this package, and a
// hand-written [tenon.Codec] may do the same.
//
// A type has two functions, one per direction:
//
//	func appendPoint(b []byte, e *codec.Encoder, v *Point) []byte {
//		b = codec.AppendArray(b, e, 2)
//		b = codec.AppendInt(b, int64(v.X))
//		return codec.AppendInt(b, int64(v.Y))
//	}
//
//	func decodePoint(d *codec.Decoder, v *Point) {
//		for i := range d.Array() {
//			switch i {
//			case 0:
//				v.X = d.Int()
//			case 1:
//				v.Y = d.Int()
//			default:
//				d.Skip() // a field that a newer peer has appended
//			}
//			if d.Err() != nil {
//				d.InField(i, "X", "Y")
//				return
//			}
//		}
//	}
//
// # Guarantees
//
//  1. What is appended and decoded again is the same value: nil and empty
//     slices, maps and pointers to zero stay apart; the full range of int64 and
//     uint64, NaN, the infinities and negative zero pass. A time keeps its
//     instant to the nanosecond and arrives in UTC.
//  2. A string is a sequence of bytes, as in Go. Invalid UTF-8 arrives as it
//     was sent; peers in other languages may replace it.
//  3. A decoder never trusts a length. It expects no more elements than there
//     are bytes left, takes at most 64 bytes of memory per byte of the message
//     (or 16 MiB if that is more), and follows nesting only [MaxDepth] deep.
//  4. Wrong types, numbers that do not fit, truncated and surplus bytes are
//     errors that name the place: "user.Tags[1]: want string, got int".
//  5. Failures stick: after the first one nothing more is read, so that code
//     need not look after every value.
//  6. The package itself allocates nothing while it appends. Decoding
//     allocates only the memory of the values; all strings and byte slices of
//     one message share one block.
//
// # Concurrency and memory
//
// An [Encoder] and a [Decoder] belong to one goroutine at a time. Byte slices
// and strings of [SegmentSize] and more are not copied while they are encoded:
// the Encoder refers to the user's memory until its Reset, and the user must
// not change it meanwhile. What a Decoder returns belongs to the receiver: it
// never refers to the bytes given to [Decoder.Reset], but keeps those given to
// [Decoder.ResetOwned]. A small string that is kept for long keeps the block of
// its message alive; strings.Clone sets it free.
//
// [tenon.Codec]: https://pkg.go.dev/github.com/tenon-go/tenon#Codec
package codec

// GeneratedFor2 is what code of "tenon gen" refers to, so that a library which
// it does not fit is refused by the compiler. If it is undefined, or if another
// GeneratedFor is, run "tenon gen" of the version that go.mod names.
const GeneratedFor2 = true

// GeneratedFor1 says that code from before streams and functions still fits.
const GeneratedFor1 = true
