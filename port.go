package tenon

import (
	"context"
	"iter"
)

// MaxPorts is how many streams and functions one method can have.
const MaxPorts = 16

// A Port is a stream or a function among the arguments of a call, as [Method.Call]
// and [Stream] take it: what [InputPort] and [FuncPort] return. Ports are numbered
// from 1: first the parameters that are streams or functions, in their order, then
// the results that are streams.
type Port interface{ port() }

// InputPort is an argument that is a stream. The first one of a call without a
// stream among its results is ranged over by the goroutine that calls, others on
// goroutines of their own, which have ended when the call returns; a panic of seq
// is raised again on the caller's goroutine. Ranging stops when the other side
// wants no more, so that a seq that waits for something should watch the context
// of the call. The first error that seq yields ends the stream; the handler gets
// it. A nil seq is an empty stream.
func InputPort[T any](codec *Codec[T], seq iter.Seq2[T, error]) Port {
	panic("not built yet")
}

// FuncPort is an argument that is a function, which the handler may call while the
// call lasts, also many times at once. m describes it; its name appears in errors.
// When f is nil the handler gets none.
func FuncPort[A, R any](m *Method[A, R], f func(context.Context, A) (R, error)) Port {
	panic("not built yet")
}

// Input returns the stream at the port of the call whose handler's context ctx is.
// It can be ranged over once. Items belong to whoever gets them. It ends with an
// error if the caller's stream did, or the call has ended.
func Input[T any](ctx context.Context, port int, codec *Codec[T]) iter.Seq2[T, error] {
	panic("not built yet")
}

// Func returns what calls the function at the port of the call whose handler's
// context ctx is, or nil if the caller gave none.
func Func(ctx context.Context, port int) Caller {
	panic("not built yet")
}

// Output ranges over seq and sends its items to the caller, as the stream at the
// port of the call whose handler's context ctx is; the handler returns its error.
// It stops when the caller wants no more, waits while he is behind, and returns
// the first error of seq. A nil seq is an empty stream.
func Output[T any](ctx context.Context, port int, codec *Codec[T], seq iter.Seq2[T, error]) error {
	panic("not built yet")
}

// An OutPort is one of several results of a handler that are streams.
type OutPort interface{ outPort() }

// OutputPort is one of several results that are streams; see [Outputs].
func OutputPort[T any](port int, codec *Codec[T], seq iter.Seq2[T, error]) OutPort {
	panic("not built yet")
}

// Outputs is [Output] for several streams, which it ranges over at the same time:
// over the first on the handler's goroutine. Each ends with its own error.
func Outputs(ctx context.Context, streams ...OutPort) error {
	panic("not built yet")
}
