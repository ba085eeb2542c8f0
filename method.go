package tenon

import (
	"context"
	"sync"

	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/call"
)

// A Codec encodes and decodes values of one type. Generated code fills it in;
// written by hand it serves code without the generator.
type Codec[T any] struct {
	// Append appends v to b and returns the longer slice. It must not keep b,
	// block, or call into tenon: b may be memory that is shared with the peer.
	// Failures go to e.Fail.
	Append func(b []byte, e *codec.Encoder, v *T) []byte

	// Decode reads into v, which is zero before. What it decodes belongs to
	// the receiver of the value. Failures stick to d.
	Decode func(d *codec.Decoder, v *T)

	// UserCode must be set when Append runs code that its author does not
	// control, such as a MarshalText. Such values are encoded on the heap
	// first and copied.
	UserCode bool

	// Validate checks a value that was decoded, or is nil. A value that it does
	// not accept fails the call as an invalid argument, before the handler runs;
	// among the items of a stream it ends the stream.
	Validate func(v *T) error
}

// A Method describes one method of a contract: its name on the wire, the shape
// both sides compare, and the codecs of its arguments and results (one struct
// each). The generator declares one per method of an interface; it is a
// variable of the package and must not be copied.
type Method[A, R any] struct {
	Name   string // "package.Service/Method"
	Shape  string // what the peer's method must look like, see PROTOCOL.md
	Args   Codec[A]
	Result Codec[R]

	Ports      int  // streams and functions among its parameters and results
	Idempotent bool // calling it twice does what calling it once does

	// OneWay is for a method without result and error. A call is done when it is
	// published: neither its deadline nor the end of its context travels, and only
	// the serving side hears of its handler's failures; interceptors of calls hear
	// why one could not be published. Calls of one goroutine over one connection
	// arrive in order, one-way or not, but their handlers run side by side; where
	// order matters there are streams. A call counts as open until it was handled,
	// so that a caller who is faster than the handlers waits at the peer's limit
	// ([WithMaxCalls]), within its context. Ends in order wait until the calls that
	// were published have been handled: [Conn.Shutdown], [Client.Disconnect] and
	// the Stop and Close of workers and pools. [Conn.Close] does not.
	OneWay bool

	once  sync.Once
	info  call.Method
	calls sync.Pool // of *typedCall[A, R]
}

func (m *Method[A, R]) describe() *call.Method {
	m.once.Do(func() {
		i := &m.info
		i.Name, i.Shape = m.Name, m.Shape
		i.Ports, i.OneWay, i.Idempotent = m.Ports, m.OneWay, m.Idempotent
	})
	return &m.info
}

// Call calls the method through c and waits for its result. When ctx ends
// first, the peer is told and Call returns at once with an error that satisfies
// errors.Is with the context's; any other failure is an *[Error]. It may be
// called from many goroutines at once. The arguments are not referred to any
// more when it returns; the results belong to the caller.
func (m *Method[A, R]) Call(ctx context.Context, c Caller, args A, ports ...Port) (R, error) {
	m.mustCall(ctx, c)
	t := m.take(args)
	if len(ports) > 0 {
		own := &talk{args: ports}
		t.call.Talk = own
		var release context.CancelFunc
		ctx, release = own.detach(ctx)
		defer release()
	}
	return t.give(c.Invoke(ctx, &t.call))
}

// mustCall says what is missing where a nil would not.
func (m *Method[A, R]) mustCall(ctx context.Context, c Caller) {
	switch {
	case c == nil:
		panic("tenon: " + m.Name + " is called through nil instead of a connection, a worker, a pool or another caller")
	case ctx == nil:
		panic("tenon: " + m.Name + " is called without a context")
	}
}

// take returns a pooled call with its arguments.
func (m *Method[A, R]) take(args A) *typedCall[A, R] {
	t, _ := m.calls.Get().(*typedCall[A, R])
	if t == nil {
		t = &typedCall[A, R]{method: m}
		t.call = call.Call{
			Method: m.describe(), Values: t, UserCode: m.Args.UserCode,
			Waiter: call.NewWaiter(),
		}
	}
	t.args = args
	t.call.Talk, t.call.Spent = nil, false
	return t
}

// give returns the outcome of a call and puts it back into the pool.
func (t *typedCall[A, R]) give(err error) (R, error) {
	result := t.result
	var (
		noArgs   A
		noResult R
	)
	t.args, t.result = noArgs, noResult
	t.method.calls.Put(t)
	if err != nil {
		return noResult, err
	}
	return result, nil
}

// typedCall holds the values of one call of the caller's side. It is reused, so
// that a call costs no allocation.
type typedCall[A, R any] struct {
	method *Method[A, R]
	call   call.Call
	args   A
	result R
}

func (t *typedCall[A, R]) AppendArgs(b []byte, e *codec.Encoder) []byte {
	return t.method.Args.Append(b, e, &t.args)
}

func (t *typedCall[A, R]) DecodeResult(d *codec.Decoder) {
	clear1(&t.result) // an interceptor may have the call made twice
	t.method.Result.Decode(d, &t.result)
}

// A Caller is something a generated client can call through: a [Conn], or a
// pool of them. It is sealed: only packages of tenon implement it.
type Caller interface {
	// Invoke carries one call out; generated clients use it through
	// [Method.Call].
	Invoke(ctx context.Context, c *call.Call) error
}
