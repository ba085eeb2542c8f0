package tenon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/call"
	"github.com/tenon-go/tenon/internal/wire"
)

// A Server holds the services that one side of a connection offers to the
// other. Services that are registered later are announced on the connections
// that exist.
type Server struct {
	opts []Option

	mu     sync.Mutex
	list   []handler
	byName map[string]int
	conns  map[*Conn]bool // false: it has ended, but what it has of its own is not closed
	closed bool
	stops  []func() // of the loops that accept
}

// ErrServerClosed is what ServeLink returns after Shutdown or Close of its
// server.
var ErrServerClosed = errors.New("tenon: the server is closed")

// NewServer returns a server without services. The options apply to all
// connections that ServeLink makes. Those that are made otherwise and serve it too,
// as with [NewConn], take over its interceptors of handlers, which run outside of
// their own, and its error hook.
func NewServer(opts ...Option) *Server {
	return &Server{opts: opts, byName: make(map[string]int), conns: make(map[*Conn]bool)}
}

// guarding adds what s has around its handlers to the options of a connection
// that s did not make: an access rule must not depend on who connected.
func (s *Server) guarding(opts []Option) []Option {
	if s == nil || len(s.opts) == 0 {
		return opts
	}
	own := newOptions(s.opts)
	guard := func(o *options) { o.handlers, o.review = own.handlers, own.review }
	return append([]Option{guard}, opts...)
}

// Conns returns the connections that s serves at the moment.
func (s *Server) Conns() []*Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	var living []*Conn
	for c, lives := range s.conns {
		if lives {
			living = append(living, c)
		}
	}
	return living
}

// Shutdown ends all connections in order, as [Conn.Shutdown] does, and waits
// for that, also for the own services of those that ended before (see [PerConn]).
// Later ones end at once. When ctx ends first, it closes those that
// are left and returns ctx's error.
func (s *Server) Shutdown(ctx context.Context) error {
	return s.endAll(func(c *Conn) error { return c.Shutdown(ctx) })
}

// Close closes all connections at once. Open calls fail.
func (s *Server) Close() error { return s.endAll((*Conn).Close) }

func (s *Server) endAll(end func(*Conn) error) error {
	s.mu.Lock()
	s.closed = true
	for _, stop := range s.stops {
		stop()
	}
	conns := slices.Collect(maps.Keys(s.conns))
	s.mu.Unlock()
	var (
		ending sync.WaitGroup
		mu     sync.Mutex
		first  error
	)
	for _, c := range conns {
		ending.Go(func() {
			if err := end(c); err != nil {
				mu.Lock()
				defer mu.Unlock()
				first = cmp.Or(first, err)
			}
		})
	}
	ending.Wait()
	return first
}

// track adds a connection, unless s is closed.
func (s *Server) track(c *Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.conns[c] = true
		c.served.offer(slices.Clone(s.list))
	}
	return !s.closed
}

// ended notes that a connection has ended, and forget that nothing of it is left.
func (s *Server) ended(c *Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.conns, c); c.scope.inUse() {
		s.conns[c] = false
	}
}

func (s *Server) forget(c *Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// onClose has stop called when s is closed; false if it is already.
func (s *Server) onClose(stop func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stops = append(s.stops, stop)
	return !s.closed
}

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// ServeLink serves link until it ends, and closes it. When the other side
// disconnects and connects again over the same link (see [NewClientOver]), that
// is a new connection, with fresh state. It returns nil when the other side ended
// the link, ctx's error when ctx did, and else why it broke.
func (s *Server) ServeLink(ctx context.Context, link Link, opts ...Option) error {
	if link == nil {
		return errors.New("tenon: the link is nil")
	}
	session := newSession(link)
	for {
		conn := newConn(ctx, session, s, slices.Concat(s.opts, opts, []Option{accepting})...)
		if conn.strict {
			late := time.AfterFunc(handshakeTime, func() {
				if !conn.greeted() {
					conn.end(fmt.Errorf("tenon: the other side said no hello within %v", handshakeTime))
				}
			})
			context.AfterFunc(conn.running, func() { late.Stop() })
		}
		<-conn.Done()
		if err := conn.Err(); err != errDetached {
			return s.outcome(ctx, err)
		}
	}
}

// outcome is what ServeLink returns after a connection that ended with err.
func (s *Server) outcome(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case s.isClosed():
		return ErrServerClosed
	case errors.Is(err, net.ErrClosed) && ctx.Err() != nil:
		return ctx.Err()
	default:
		return err
	}
}

func accepting(o *options) { o.accepts = true }

// Handle makes srv answer calls of m with fn; registering a method again
// replaces its handler. The generator's RegisterX calls it for every method of a
// service. fn runs on many goroutines at once; its arguments belong to it, and
// ctx ends when the caller gave up, the deadline passed or the connection ended.
// A panic becomes an error of that call alone.
func Handle[A, R any](srv *Server, m *Method[A, R], fn func(ctx context.Context, args A) (R, error)) {
	if srv == nil {
		panic("tenon: " + m.Name + " cannot be registered: the server is nil (tenon.NewServer makes one)")
	}
	if fn == nil {
		panic("tenon: " + m.Name + " cannot be registered: the function that answers its calls is nil")
	}
	srv.register(&typedHandler[A, R]{spec: m, fn: fn})
}

// A handler serves the calls of one method.
type handler interface {
	method() *call.Method
	pace() *pace
	run(s *servedCall) // decodes, calls the user's function, answers
}

func (s *Server) register(h handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := h.method().Name
	if i, ok := s.byName[name]; ok {
		s.list[i] = h
	} else {
		s.byName[name] = len(s.list)
		s.list = append(s.list, h)
	}
	for c := range s.conns {
		c.served.offer(slices.Clone(s.list))
		c.outbox.flush() // which also announces
	}
}

// handlers returns the handlers as they are now; their positions are the numbers
// that a connection announces.
func (s *Server) handlers() []handler {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

type typedHandler[A, R any] struct {
	spec    *Method[A, R]
	speed   pace
	fn      func(context.Context, A) (R, error)
	results sync.Pool // of *typedResult[A, R]
}

func (h *typedHandler[A, R]) method() *call.Method { return h.spec.describe() }
func (h *typedHandler[A, R]) pace() *pace          { return &h.speed }

func (h *typedHandler[A, R]) run(s *servedCall) {
	values, _ := h.results.Get().(*typedResult[A, R])
	if values == nil {
		values = &typedResult[A, R]{spec: h.spec}
	}
	var (
		encoded encodedBody
		refused bool
		err     error
	)
	if len(s.conn.handlers) > 0 {
		encoded, refused, err = h.intercepted(s, values)
	} else {
		var args A
		if args, err = h.decode(s, values); err == nil {
			if values.result, err = h.fn(s, args); err == nil && s.function != nil {
				err = s.checkResults(values)
			}
		} else {
			refused = true
		}
	}
	switch {
	case refused:
		s.fail(err, wire.Refused)
		return
	case err != nil:
		s.fail(err, 0)
		return
	case encoded != nil:
		s.answer(encoded, false)
	default:
		s.answer(values, h.spec.Result.UserCode)
	}
	clear1(&values.result)
	h.results.Put(values)
}

// decode takes the arguments of the call.
func (h *typedHandler[A, R]) decode(s *servedCall, values *typedResult[A, R]) (args A, err error) {
	d := s.decoding(&values.decoder)
	h.spec.Args.Decode(d, &values.args)
	if err := d.Finish(); err != nil {
		return args, &Error{Code: InvalidArgument, SafeToRetry: true, Message: "the arguments cannot be decoded: " + err.Error()}
	}
	d.Reset(nil)
	if h.spec.Args.Validate != nil {
		if err := h.spec.Args.Validate(&values.args); err != nil {
			e := invalid(err)
			e.SafeToRetry = true
			return args, e
		}
	}
	args = values.args
	clear1(&values.args)
	return args, nil
}

// typedResult holds the values of one call on the serving side. It is reused, so
// that a call costs no allocation for them.
type typedResult[A, R any] struct {
	spec    *Method[A, R]
	decoder codec.Decoder
	args    A
	result  R
}

func (t *typedResult[A, R]) AppendBody(b []byte, e *codec.Encoder) []byte {
	return t.spec.Result.Append(b, e, &t.result)
}

func clear1[T any](v *T) {
	var zero T
	*v = zero
}
