package tenon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/wire"
)

// smallArgs is how large arguments may be to travel inside of a servedCall.
const smallArgs = 64

// A servedCall is one call of the peer while its handler runs. It is also the
// handler's context, so that a call costs one allocation.
type servedCall struct {
	callContext
	id       uint32
	handler  handler
	ports    *servedPorts            // nil: none
	function *calledFunction         // not nil: it is a function of a call of ours
	progress atomic.Pointer[reports] // made when the handler reports
	args     []byte
	owned    bool
	crowded  bool
	inPlace  bool // the base reader runs it
	held     bool // its answer is published with that of the next one
	timed    bool // pace wants to know how long it takes
	answered bool
	began    time.Duration // see clock
	ready    time.Duration // when its answer could go out; 0: not yet
	apart    atomic.Int64  // nanoseconds that are not the handler's; see pace
	small    [smallArgs]byte
}

func (s *servedCall) Value(key any) any {
	switch {
	case key == callKey{}:
		return s
	case s.function == nil || hidden(key):
		return s.callContext.Value(key)
	}
	return s.function.of.ctx.Value(key) // it is code of the caller
}

// servedCalls are the calls of the peer whose handlers run, and the handlers
// this side offers, by number.
type servedCalls struct {
	handlers atomic.Pointer[[]handler] // by number; longer when one is registered later

	mu       sync.Mutex
	open     openCalls[*servedCall]
	last     uint32        // the id accepted last
	draining chan struct{} // not nil: no new calls; closed when the last one is done
	ended    bool
}

func newServedCalls(srv *Server) *servedCalls {
	s := new(servedCalls)
	s.handlers.Store(new([]handler))
	if srv != nil {
		s.offer(srv.handlers())
	}
	return s
}

// offer sets the handlers: those known before keep their numbers.
func (s *servedCalls) offer(handlers []handler) { s.handlers.Store(&handlers) }

func (s *servedCalls) methods() []wire.Method {
	handlers := *s.handlers.Load()
	methods := make([]wire.Method, len(handlers))
	for i, h := range handlers {
		m := h.method()
		methods[i] = wire.Method{Name: m.Name, Fingerprint: m.Fingerprint()}
	}
	return methods
}

// shape returns the shape of a method that this side announced.
func (s *servedCalls) shape(method uint32) string { return (*s.handlers.Load())[method].method().Shape }

// add registers a call; false while no new ones are taken. The peer keeps to the
// limit by itself; what it counts as answered we may count as open for a moment
// longer, hence twice.
func (s *servedCalls) add(c *servedCall, limit uint32) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining != nil && (c.function == nil || isClosed(s.draining)) { // a handler that runs still may need it
		return false, nil
	}
	if uint64(s.open.len()) >= 2*uint64(limit) {
		return false, protocolError{fmt.Errorf("%d calls at once, %d were announced as the limit", s.open.len(), limit)}
	}
	if _, taken := s.open.get(c.id); taken {
		return false, protocolError{fmt.Errorf("a second call with the id %d of one that is open", c.id)}
	}
	if s.ended {
		c.cancel(context.Canceled)
	}
	s.open.set(c.id, c)
	s.last = c.id
	c.crowded = s.open.len() > 1
	return true, nil
}

func (s *servedCalls) remove(id uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open.take(id)
	if s.draining != nil && s.open.len() == 0 {
		close(s.draining)
	}
}

// drain stops new calls. It returns the id accepted last and a channel that is
// closed when no call is open any more.
func (s *servedCalls) drain() (last uint32, drained <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining == nil {
		s.draining = make(chan struct{})
		if s.open.len() == 0 {
			close(s.draining)
		}
	}
	return s.last, s.draining
}

// get returns the call with the id, or nil.
func (s *servedCalls) get(id uint32) *servedCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, _ := s.open.get(id)
	return c
}

func (s *servedCalls) cancel(id uint32) {
	if c := s.get(id); c != nil {
		c.cancel(context.Canceled)
	}
}

func (s *servedCalls) cancelAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	for _, c := range s.open.all {
		c.cancel(context.Canceled)
	}
}

// serve takes a call in and leaves it to the reader to start its handler. It runs
// in the reader's role.
func (c *Conn) serve(f wire.Frame, owned bool) error {
	handlers := *c.served.handlers.Load()
	if uint64(f.Arg) >= uint64(len(handlers)) || f.Flags&(wire.Named|wire.HasTarget) != 0 {
		return c.outbox.refuse(f.ID, wire.Failure{Code: uint32(Unimplemented), Message: "the other side does not offer this method"})
	}
	return c.serveWith(f, owned, handlers[f.Arg], nil)
}

// serveWith takes in a call that h answers. It is a function of ours, if function
// is not nil.
func (c *Conn) serveWith(f wire.Frame, owned bool, h handler, function *talking) error {
	o, args, err := wire.ParseCall(f.Flags, f.Body)
	if err != nil {
		return protocolError{err}
	}
	call := &servedCall{callContext: callContext{conn: c}, id: f.ID, handler: h, args: args, owned: owned}
	if function != nil {
		call.function = &calledFunction{function, f.Port}
	} else if h.method().Ports > 0 {
		call.ports = &servedPorts{missing: f.Port}
	}
	if f.Flags&wire.HasDeadline != 0 {
		call.deadline, call.hasDeadline = time.Now().Add(o.Remaining), true
	}
	if f.Flags&wire.HasMetadata != 0 {
		if call.metadata, err = parseMetadata(o.Metadata); err != nil {
			return protocolError{fmt.Errorf("metadata that cannot be read: %w", err)}
		}
	}
	// The arguments leave the link's memory before anything else happens.
	switch {
	case owned:
	case len(args) <= smallArgs:
		call.args = append(call.small[:0], args...)
	default:
		call.args, call.owned = bytes.Clone(args), true
	}
	if function != nil && !function.beginFunction(call) {
		return c.outbox.refuse(f.ID, functionOver)
	}
	accepted, err := c.served.add(call, c.limits.Calls)
	if function != nil && (err != nil || !accepted) {
		function.endFunction(call)
	}
	if err != nil {
		return err
	}
	if !accepted {
		return c.outbox.refuse(f.ID, wire.Failure{Code: uint32(Unavailable), Message: shuttingDown})
	}
	c.reader.accepted = call
	return nil
}

// maxIdleRunners bounds the goroutines that wait for a handler to run.
const maxIdleRunners = 64

// runners are the goroutines of handlers. One that has run a handler waits for
// the next, since its stack has grown by then: growing a fresh one takes half of
// the serving side's time for a small call (3.0 us a call instead of 1.8).
type runners struct {
	jobs chan *servedCall // unbuffered: a send succeeds if somebody waits
	idle atomic.Int32
}

// start runs the handler of a call. It does not wait.
func (r *runners) start(s *servedCall) {
	select {
	case r.jobs <- s:
	default:
		go r.run(s)
	}
}

// run is a runner. A handler that calls runtime.Goexit ends it.
func (r *runners) run(s *servedCall) {
	for s != nil {
		s.run()
		if r.idle.Add(1) > maxIdleRunners {
			r.idle.Add(-1)
			return
		}
		s = <-r.jobs
		r.idle.Add(-1)
	}
}

// end ends the idle runners, and the busy ones when they are done. Nothing is
// started any more.
func (r *runners) end() { close(r.jobs) }

// run runs the handler.
func (s *servedCall) run() {
	if s.timed {
		s.began = clock()
	}
	defer s.finish()
	s.handler.run(s)
}

// finish ends the call, however the handler ended.
func (s *servedCall) finish() {
	if !s.answered {
		s.broke(recover())
	}
	s.conn.served.remove(s.id)
	s.cancel(context.Canceled)
	if s.ports != nil {
		s.ports.end()
	}
	if s.function != nil {
		s.function.of.endFunction(s)
	}
	if s.timed {
		runs := int32(1)
		if s.inPlace {
			runs = timedEvery
		}
		if s.ready == 0 {
			s.ready = clock()
		}
		s.handler.pace().took(s.ready-s.began-time.Duration(s.apart.Load()), runs)
	}
}

// broke is finish's part where the handler did not return: p is its panic, or nil.
func (s *servedCall) broke(p any) {
	what := "handler"
	if s.function != nil {
		what = "function"
	}
	e := &Error{Code: Panicked, Message: "the " + what + " ended its goroutine (runtime.Goexit)"}
	if p != nil {
		panicked := &PanicError{Value: p, Stack: debug.Stack()}
		e.Message, e.cause = fmt.Sprintf("the %s panicked: %v", what, p), panicked
		s.conn.logger.Error("tenon: a "+what+" panicked", "method", s.handler.method().Name, "panic", fmt.Sprint(p), "stack", string(panicked.Stack))
	}
	if s.function != nil { // first, so that its call cannot succeed
		s.function.of.broke(p, "a function")
	}
	s.fail(e, 0)
}

// decoding makes d decode the arguments, which it then has for itself.
func (s *servedCall) decoding(d *codec.Decoder) *codec.Decoder {
	if s.owned {
		d.ResetOwned(s.args)
	} else {
		d.Reset(s.args)
	}
	s.args = nil
	return d
}

// answer sends the results. Encoding them can run code of users: until they are
// sent, a panic makes an error of this call like one of the handler.
func (s *servedCall) answer(result body, userCode bool) {
	s.lastReport()
	h := wire.Header{Kind: wire.Answer, Flags: wire.Callee, ID: s.id}
	m := message{header: h, body: result, userCode: userCode, limit: s.conn.peer.limits.Message}
	if md := s.takeMetadata(); md != nil {
		m.header.Flags |= wire.HasMetadata
		m.body = withMetadata{md, result}
	}
	published, err := s.send(m)
	if err == nil {
		s.answered = true
		return
	}
	var (
		encode encodeError
		e      *Error
	)
	switch {
	case published || s.conn.running.Err() != nil:
		s.answered = true
		s.conn.sendFailed(err)
	case errors.As(err, &encode):
		s.fail(invalidResult(err), 0)
	case errors.As(err, &e):
		s.fail(&Error{Code: e.Code, Message: "the answer is too large: " + e.Message, cause: e.cause}, 0)
	default:
		s.answered = true
		s.conn.sendFailed(err)
	}
}

func invalidResult(err error) error {
	return &Error{Code: InvalidResult, Message: "the result cannot be encoded: " + err.Error()}
}

// fail answers with an error. refused is wire.Refused when the handler was not
// started, else 0.
func (s *servedCall) fail(err error, refused uint8) {
	failure := failureOf(s.review(err))
	s.lastReport()
	s.answered = true
	h := wire.Header{Kind: wire.Error, Flags: wire.Callee | refused, ID: s.id}
	m := message{header: h, body: failureBody(failure), limit: math.MaxUint32}
	if _, err := s.send(m); err != nil {
		s.conn.sendFailed(err)
	}
}

// send sends an answer. One that is held is published with the next one.
func (s *servedCall) send(m message) (published bool, err error) {
	sender := s.conn.sender
	m.lazy, m.crowded = s.held, s.crowded && !s.inPlace
	switch {
	case s.timed && s.inPlace:
		m.stamp = &s.ready
	case s.timed: // in a crowd most of sending is waiting for others who send
		s.ready = clock()
	}
	if published, err = sender.send(s.conn.running, m); s.held && err == nil {
		sender.dirty.Store(true)
	}
	return published, err
}

func (s *servedCall) takeMetadata() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answerMetadata
}

// withMetadata is a body with metadata in front.
type withMetadata struct {
	metadata []byte
	body
}

func (w withMetadata) AppendBody(b []byte, e *codec.Encoder) []byte {
	return w.body.AppendBody(wire.AppendMetadata(b, w.metadata), e)
}

// review shows the error of a call to the hook, which may replace it.
func (s *servedCall) review(err error) (reviewed error) {
	if s.conn.review == nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			s.conn.logger.Error("tenon: the error hook panicked", "panic", p, "stack", string(debug.Stack()))
			reviewed = &Error{Code: Unknown, Message: "the call failed"} // nothing unseen may travel
		}
	}()
	info := s.conn.about(s.handler.method(), true)
	if reviewed = s.conn.review(s, info, err); reviewed == nil {
		return err
	}
	return reviewed
}

type failureBody wire.Failure

func (f failureBody) AppendBody(b []byte, _ *codec.Encoder) []byte { return wire.Failure(f).Append(b) }
