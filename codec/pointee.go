package codec

import "errors"

// AppendPointee makes a function for pointers of one for values. A nil pointer
// is a failure, not a value: errors travel so, whose methods nobody wants to
// call on nil.
func AppendPointee[T any](appendValue func(b []byte, e *Encoder, v *T) []byte) func(b []byte, e *Encoder, v **T) []byte {
	return func(b []byte, e *Encoder, v **T) []byte {
		if *v == nil {
			e.Fail(errors.New("pointer is nil"))
			return b
		}
		return appendValue(b, e, *v)
	}
}

// DecodePointee is the counterpart of AppendPointee. The pointer it decodes is
// never nil.
func DecodePointee[T any](decodeValue func(d *Decoder, v *T)) func(d *Decoder, v **T) {
	return func(d *Decoder, v **T) {
		*v = New[T](d)
		decodeValue(d, *v)
	}
}
