package tenon

import (
	"context"
	"iter"
)

// Stream returns the stream that m, whose one result is a stream, answers with.
// Each time it is ranged over the method is called; the loop's end is the end of
// the call: break tells the other side. The first error is final and comes once.
// Items belong to whoever gets them.
func Stream[A, R, T any](ctx context.Context, m *Method[A, R], c Caller, args A, codec *Codec[T], ports ...Port) iter.Seq2[T, error] {
	panic("not built yet")
}

// Results are the streams of a method that answers with several.
type Results struct{}

// Streams returns the streams that m answers with; [StreamOf] gives one of them.
// The first loop over any of them calls the method, and the call lasts until all
// have been ranged over or ctx ends. Ranging over one again calls anew.
func Streams[A, R any](ctx context.Context, m *Method[A, R], c Caller, args A, ports ...Port) *Results {
	panic("not built yet")
}

// StreamOf returns the stream at the port.
func StreamOf[T any](r *Results, port int, codec *Codec[T]) iter.Seq2[T, error] {
	panic("not built yet")
}
