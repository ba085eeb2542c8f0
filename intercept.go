package tenon

import (
	"context"

	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/call"
)

// An Interceptor runs around a call: around the handler on the serving side,
// around the whole call on the caller's. It calls next, with a context of its own
// if it likes, and sees what that returned. It may return another error; the
// result is dropped then.
//
// It may call next again, one call after the other; the last one's result counts.
// Once info.Spent is set, next does nothing any more and returns the same. Or it
// does not call next and returns an error, or nil for a result of zeros.
// When next was not called on the serving side, an *[Error] with SafeToRetry
// travels as a refusal: the caller reads the same in his.
//
// A call with streams is one call: next returns when the last item was handled.
type Interceptor func(ctx context.Context, info *CallInfo, next func(context.Context) error) error

// CallInfo describes a call to its interceptors. There is one for each call and
// list of interceptors; it may be read until the interceptor returns.
type CallInfo struct {
	Method     string // wire name
	Conn       *Conn  // nil where it is not chosen yet, as around a pool
	Peer       string // the other side's name as in errors, if it has one
	Serving    bool   // this side runs the handler
	Idempotent bool   // a second run does no harm; see Method
	Streams    bool   // it has streams or functions among its parameters and results
	Function   bool   // it calls a function among the arguments of another call

	// What follows is filled in when next returns. Conn and Peer too are then
	// those that carried the call.

	// Spent says that the call cannot be made again: its input or its output was
	// begun.
	Spent bool
	// SentBytes and ReceivedBytes count arguments, results and items as they
	// were encoded, without metadata and headers; of several attempts the last.
	SentBytes, ReceivedBytes int64
	SentItems, ReceivedItems int64 // of streams
}

// WithHandlerInterceptor runs i around every handler, inside those given before.
// The arguments are decoded, and the result is encoded, inside of next.
func WithHandlerInterceptor(i Interceptor) Option {
	mustRun(i)
	return func(o *options) { o.handlers = append(o.handlers[:len(o.handlers):len(o.handlers)], i) }
}

// WithCallInterceptor runs i around every call that this side makes over the
// connection, inside those given before. Such calls are not the cheapest: each
// interceptor costs an allocation.
func WithCallInterceptor(i Interceptor) Option {
	mustRun(i)
	return func(o *options) { o.calls = append(o.calls[:len(o.calls):len(o.calls)], i) }
}

// Intercept returns a caller that calls through c, with the interceptors around
// it, the first one outermost. Around a pool or a [Client] they see the whole
// call: what they let happen again may reach another worker, or another
// connection.
func Intercept(c Caller, i ...Interceptor) Caller {
	if c == nil {
		panic("tenon: Intercept needs a caller")
	}
	mustRun(i...)
	return &interceptedCaller{c, i}
}

func mustRun(list ...Interceptor) {
	for _, i := range list {
		if i == nil {
			panic("tenon: an interceptor is nil")
		}
	}
}

type interceptedCaller struct {
	Caller
	list []Interceptor
}

// Invoke carries one call out.
func (c *interceptedCaller) Invoke(ctx context.Context, open *call.Call) error {
	info := infoOf(open.Method)
	switch carrier := c.Caller.(type) {
	case *Conn:
		info.Conn, info.Peer = carrier, carrier.options.peer
	case interface{ Conn() *Conn }:
		info.Conn, info.Peer = carrier.Conn(), carrier.Conn().options.peer
	}
	return around(ctx, c.list, info, open, c.Caller.Invoke)
}

func infoOf(m *call.Method) *CallInfo {
	return &CallInfo{Method: m.Name, Idempotent: m.Idempotent, Streams: m.Ports > 0}
}

// about describes a call over this connection.
func (c *Conn) about(m *call.Method, serving bool) *CallInfo {
	info := infoOf(m)
	info.Conn, info.Peer, info.Serving = c, c.options.peer, serving
	return info
}

// around carries a call of this side out inside of the interceptors.
func around(ctx context.Context, list []Interceptor, info *CallInfo, open *call.Call, invoke func(context.Context, *call.Call) error) error {
	if open.CheckOnly || len(list) == 0 {
		return invoke(ctx, open)
	}
	outer := open.Tally
	tally := outer
	if tally == nil {
		tally = new(call.Tally)
	}
	open.Tally = tally
	defer func() { open.Tally = outer }()
	info.Function = open.Port != 0
	var spent error
	err := intercept(ctx, list, info, func(ctx context.Context) error {
		if info.Spent {
			return spent
		}
		*tally = call.Tally{}
		err := invoke(ctx, open)
		if conn, ok := tally.Carrier.(*Conn); ok {
			info.Conn, info.Peer = conn, conn.options.peer
		}
		info.Spent = open.Spent
		info.SentBytes, info.ReceivedBytes = tally.SentBytes, tally.ReceivedBytes
		info.SentItems, info.ReceivedItems = tally.SentItems, tally.ReceivedItems
		spent = err
		return err
	})
	return named(err, info)
}

// named says in an error that an interceptor made which call it is about.
func named(err error, info *CallInfo) error {
	if e, ok := err.(*Error); ok && e != nil && e.Method == "" {
		own := *e // others may have it too
		own.Method, own.Peer = info.Method, info.Peer
		return &own
	}
	return err
}

// intercept runs call inside of the interceptors.
func intercept(ctx context.Context, list []Interceptor, info *CallInfo, call func(context.Context) error) error {
	if len(list) == 0 {
		return call(ctx)
	}
	return list[0](ctx, info, func(ctx context.Context) error {
		return intercept(ctx, list[1:], info, call)
	})
}

// intercepted runs the handler inside of the interceptors. It returns the encoded
// result, or nil if no handler returned one; refused says that none was started
// and that the error says so.
func (h *typedHandler[A, R]) intercepted(s *servedCall, values *typedResult[A, R]) (encoded encodedBody, refused bool, err error) {
	var (
		args             A
		decoded, started bool
		spent            error
	)
	info := s.conn.about(h.method(), true)
	info.Function = s.function != nil
	info.ReceivedBytes = int64(len(s.args))
	err = intercept(s, s.conn.handlers, info, func(ctx context.Context) (err error) {
		if info.Spent {
			return spent
		}
		defer func() { spent = err }()
		if !decoded {
			if args, err = h.decode(s, values); err != nil {
				return err
			}
			decoded = true
		}
		started, encoded, info.SentBytes = true, nil, 0
		defer s.tally(info, info.ReceivedBytes)
		if values.result, err = h.fn(ctx, args); err != nil {
			return err
		}
		encoded, info.SentBytes, err = encodeBody(values)
		return err
	})
	return encoded, !started && SafeToRetry(err), err
}

// tally fills in what travelled through the ports of a call of the peer.
func (s *servedCall) tally(info *CallInfo, args int64) {
	if s.ports == nil {
		return
	}
	info.ReceivedBytes, info.SentItems, info.ReceivedItems = args, 0, 0
	s.ports.mu.Lock()
	defer s.ports.mu.Unlock()
	for _, p := range s.ports.list {
		if p == nil {
			continue
		}
		items, bytes := p.out.total()
		info.SentBytes += bytes
		info.SentItems += items
		info.ReceivedBytes += p.in.takenBytes
		info.ReceivedItems += p.in.takenItems
		info.Spent = info.Spent || p.ranged || items > 0
	}
}

// An encodedBody is a body that was encoded before it is sent, in pieces.
type encodedBody [][]byte

func (pieces encodedBody) AppendBody(b []byte, e *codec.Encoder) []byte {
	for _, p := range pieces {
		b = codec.AppendRaw(b, e, p)
	}
	return b
}

func encodeBody(from body) (encodedBody, int64, error) {
	var e codec.Encoder
	b := from.AppendBody(nil, &e)
	if e.Err() != nil {
		return nil, 0, invalidResult(e.Err())
	}
	pieces := encodedBody{}
	at := 0
	for _, seg := range e.Segments() {
		pieces = append(pieces, b[at:seg.At], seg.Data)
		at = seg.At
	}
	return append(pieces, b[at:]), call.Size(b, &e), nil
}
