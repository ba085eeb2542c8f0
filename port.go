package tenon

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/tenon-go/tenon/internal/call"
	"github.com/tenon-go/tenon/internal/wire"
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
// is raised again on the caller's goroutine. Ranging stops at the next item when
// the other side wants no more; a seq that waits for something else meanwhile
// should watch a context of [WithInputCancel]. The first error that seq yields ends
// the stream: the handler gets it, and if the call fails its error has this one
// within, for errors.Is and errors.As. A seq that ends while the context of the call
// has ended is not taken for complete. A nil seq is an empty stream.
func InputPort[T any](codec *Codec[T], seq iter.Seq2[T, error]) Port {
	return &inputOf[T]{codec, seq}
}

// inputPort is an [InputPort] of any type.
type inputPort interface {
	Port
	// run ranges over the stream, sends its items and its end.
	run(ctx context.Context, s *talking, o *outgoing) error
}

type inputOf[T any] struct {
	codec *Codec[T]
	seq   iter.Seq2[T, error]
}

func (*inputOf[T]) port() {}

func (p *inputOf[T]) run(ctx context.Context, s *talking, o *outgoing) error {
	why, err := p.sendAll(ctx, s, o)
	if err != nil {
		return err
	}
	if o.stopped.Load() {
		return errStopped
	}
	if err := s.inputsCanceled(ctx); err != nil { // it may have ended early, and not have said so
		return err
	}
	if why != nil {
		s.inputFailed(why)
	}
	if s.state.report != nil { // before the handler can know of the end, and answer
		if err := o.flush(ctx); err != nil {
			return err
		}
		s.sent(o)
	}
	return o.end(ctx, why)
}

func (p *inputOf[T]) sendAll(ctx context.Context, s *talking, o *outgoing) (why, err error) {
	s.ranging.Add(1)
	defer s.ranging.Add(-1)
	if o.stopped.Load() { // before whoever stopped it could see that it runs
		return nil, errStopped
	}
	if s.scope != nil { // its caller waits for the answer too, which ends the input
		s.conn.reader.waiting.Add(1)
		defer s.conn.reader.waiting.Add(-1)
		s.conn.reader.rouse()
	}
	var sent func(*outgoing)
	if s.state.report != nil {
		sent = s.sent
	}
	return sendAll(ctx, o, p.codec, p.seq, sent)
}

// FuncPort is an argument that is a function, which the handler may call while the
// call lasts, also many times at once. m describes it; its name appears in errors.
// When f is nil the handler gets none. f runs on goroutines of the library; its
// context ends when the handler gives up, or the call ends, which waits for f unless its
// own context has ended: f may still run then after the call has returned. To a handler
// whose context has ended a function without an error answers at once. A panic of f is logged, is an
// error for the handler if f has one, and ends the call: it is raised again on the goroutine
// that made it.
func FuncPort[A, R any](m *Method[A, R], f func(context.Context, A) (R, error)) Port {
	return &functionOf[A, R]{typedHandler[A, R]{spec: m, fn: f}}
}

type functionOf[A, R any] struct{ typedHandler[A, R] }

func (*functionOf[A, R]) port()         {}
func (f *functionOf[A, R]) isNil() bool { return f.fn == nil }

// servedPorts are the ports of a call of the other side. They are made when the
// first frame for them comes, or the handler asks for them.
type servedPorts struct {
	mu   sync.Mutex
	list [MaxPorts]*servedPort
	over bool

	missing uint16 // a bit per port: the function there is nil
}

type servedPort struct {
	in     *incoming
	out    *outgoing
	ranged bool
}

// get returns a port. s.ports is not nil.
func (s *servedCall) port(n uint16) *servedPort {
	p := s.ports
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.list[n-1] == nil {
		a := address{conn: s.conn, id: s.id, flags: wire.Callee, port: n}
		made := &servedPort{in: newIncoming(a, newParty(s.conn)), out: &outgoing{party: newParty(s.conn)}}
		made.out.open(a)
		if p.over {
			made.end()
		}
		p.list[n-1] = made
	}
	return p.list[n-1]
}

// end ends both directions: the answer was sent.
func (p *servedPort) end() {
	p.in.finish(nil, errOver)
	p.in.close()
	p.out.stop(nil)
	p.out.conn.sender.allowance.over(p.out.id, true)
}

// end ends all streams: the call is over.
func (p *servedPorts) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	for _, one := range p.list {
		if one != nil {
			one.end()
		}
	}
}

// errOver is what a stream says whose handler has returned.
var errOver = errors.New("tenon: the call that this stream belongs to has ended")

// portOf returns a port of the call whose handler's context ctx is.
func portOf(ctx context.Context, n int, what string) (*servedCall, *servedPort) {
	s, _ := ctx.Value(callKey{}).(*servedCall)
	if s == nil {
		panic("tenon: " + what + " outside of a handler")
	}
	if ports := s.handler.method().Ports; n < 1 || n > ports {
		panic(fmt.Sprintf("tenon: %s of port %d; %s has %d ports", what, n, s.handler.method().Name, ports))
	}
	return s, s.port(uint16(n))
}

// Input returns the stream at the port of the call whose handler's context ctx is.
// It can be ranged over once. Items belong to whoever gets them. It ends with an
// error if the caller's stream did, or the call has ended: when the handler has returned,
// what was not taken is dropped.
func Input[T any](ctx context.Context, port int, codec *Codec[T]) iter.Seq2[T, error] {
	s, p := portOf(ctx, port, "Input")
	return func(yield func(T, error) bool) {
		var none T
		s.ports.mu.Lock()
		again := p.ranged
		p.ranged = true
		s.ports.mu.Unlock()
		if again {
			yield(none, errors.New("tenon: the stream of a caller can be ranged over once"))
			return
		}
		defer func() {
			if p.in.close() {
				s.conn.outbox.reset(p.in.address)
			}
		}()
		loop := newLoop(ctx, codec, yield)
		for {
			c, ok, err := p.in.next(ctx)
			if err != nil {
				if ctx.Err() != nil {
					err = contextError(ctx.Err())
				}
				yield(none, err)
				return
			}
			if !ok {
				return
			}
			if more, err := loop.take(c); err != nil {
				yield(none, asArgument(err))
				return
			} else if !more {
				return
			}
		}
	}
}

// asArgument is the error of an item that came from a caller.
func asArgument(err error) error {
	if e, ok := err.(*Error); ok && e.Code == InvalidResult {
		e.Code = InvalidArgument
	}
	return err
}

// invalid is the error of a value that its own Validate does not accept.
func invalid(err error) *Error {
	return &Error{Code: InvalidArgument, Message: err.Error(), cause: err}
}

// Func returns what calls the function at the port of the call whose handler's
// context ctx is, or nil if the caller gave none.
func Func(ctx context.Context, port int) Caller {
	s, _ := ctx.Value(callKey{}).(*servedCall)
	if s == nil {
		panic("tenon: Func outside of a handler")
	}
	if s.ports == nil || s.ports.missing&(1<<(port-1)) != 0 {
		return nil
	}
	return &funcCaller{s, uint16(port)}
}

// A funcCaller calls a function among the arguments of a call.
type funcCaller struct {
	served *servedCall
	port   uint16
}

// Invoke calls the function.
func (f *funcCaller) Invoke(ctx context.Context, open *call.Call) error {
	open.Parent, open.Port = f.served.id, f.port
	defer func() { open.Parent, open.Port = 0, 0 }()
	return f.served.conn.Invoke(ctx, open)
}

// Output ranges over seq and sends its items to the caller, as the stream at the
// port of the call whose handler's context ctx is; the handler returns its error.
// It stops when the caller wants no more, waits while he is behind, and returns
// the first error of seq. A seq that ends while ctx has ended is not taken for
// complete. A nil seq is an empty stream.
func Output[T any](ctx context.Context, port int, codec *Codec[T], seq iter.Seq2[T, error]) error {
	s, p := portOf(ctx, port, "Output")
	why, err := sendAll(ctx, p.out, codec, seq, nil)
	if err == nil {
		err = p.out.flush(ctx)
	}
	return s.outputError(ctx, why, err)
}

// outputError is the error of a handler whose stream ended with why, or could not
// be sent because of err.
func (s *servedCall) outputError(ctx context.Context, why, err error) error {
	var encode encodeError
	switch {
	case err == nil && why == nil: // it may have ended early, and not have said so
		return ctx.Err()
	case err == nil, errors.Is(err, errStopped):
		return why
	case errors.As(err, &encode):
		return &Error{Code: InvalidResult, Message: "an item cannot be encoded: " + err.Error(), cause: encode.err}
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return err
}

// An OutPort is one of several results of a handler that are streams.
type OutPort interface {
	run(ctx context.Context) error
}

// OutputPort is one of several results that are streams; see [Outputs].
func OutputPort[T any](port int, codec *Codec[T], seq iter.Seq2[T, error]) OutPort {
	return &outputOf[T]{port, codec, seq}
}

type outputOf[T any] struct {
	port  int
	codec *Codec[T]
	seq   iter.Seq2[T, error]
}

// run sends the stream and its end.
func (p *outputOf[T]) run(ctx context.Context) error {
	s, port := portOf(ctx, p.port, "Outputs")
	why, err := sendAll(ctx, port.out, p.codec, p.seq, nil)
	why = s.outputError(ctx, why, err)
	if err == nil || !linkEnded(err) {
		err = port.out.end(ctx, why)
	}
	if err != nil && !errors.Is(err, errStopped) && why == nil {
		why = s.outputError(ctx, nil, err)
	}
	return why
}

// Outputs is [Output] for several streams, which it ranges over at the same time:
// over the first on the handler's goroutine. Each ends with its own error.
func Outputs(ctx context.Context, streams ...OutPort) error {
	failures := make([]error, len(streams))
	panics := make([]any, len(streams))
	var others sync.WaitGroup
	defer others.Wait() // also if the first one panics
	for i := 1; i < len(streams); i++ {
		others.Go(func() {
			returned := false
			defer func() {
				if !returned {
					if panics[i] = recover(); panics[i] == nil {
						failures[i] = errors.New("a stream ended its goroutine (runtime.Goexit)")
					}
				}
			}()
			failures[i] = streams[i].run(ctx)
			returned = true
		})
	}
	if len(streams) > 0 {
		failures[0] = streams[0].run(ctx)
	}
	others.Wait()
	for _, p := range panics {
		if p != nil {
			panic(p)
		}
	}
	return errors.Join(failures...)
}
