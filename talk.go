package tenon

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/tenon-go/tenon/internal/call"
	"github.com/tenon-go/tenon/internal/shape"
	"github.com/tenon-go/tenon/internal/wire"
)

// A talk is what a call of this side has beside its arguments and its answer:
// streams, functions, progress.
//
// The goroutine that calls is its main party. It ranges over the first input, or
// takes the items of the result, or just waits for the answer; and it reports
// progress. Further inputs have goroutines of their own, which have ended when
// the call returns.
type talk struct {
	args     []Port // that are streams or functions, by number
	result   taker  // of the one result that is a stream, or nil
	outputs  int    // results that are streams
	progress func(Progress)
	began    func(*talking) // tells those who take several outputs

	scope *inputScope     // or nil
	given context.Context // what the call was made with, if there is a scope

	agreement *shape.Agreement // of the latest attempt

	now *talking // the latest attempt; changed before its call is among the pending ones
}

// A taker takes the items of a stream. It returns false when it wants no more.
type taker interface {
	take(c chunk) (more bool, err error)
}

// talking is one attempt at a talk, over one connection.
type talking struct {
	conn *Conn
	open *call.Call
	main *party
	list []any // by number: *incoming, *outgoing or handler

	loops bool // the main party takes items

	agreement *shape.Agreement // what the peer's contract allows, unless it is the same

	done   atomic.Bool   // the call is settled; the outcome stands in open
	watch  func() bool   // ends the watch over the caller's context; nil: there is none
	lapsed chan struct{} // closed when that has found the end of the context, and acted
	gaveUp bool          // it acted in time: nobody will settle the call
	state  progressState
	inputs sync.WaitGroup
	ctx    context.Context // of the caller, for functions

	scope    *inputScope // or nil
	given    context.Context
	ranging  atomic.Int32 // inputs that run
	inputCut atomic.Bool  // one of them was ended

	mu       sync.Mutex
	closed   bool                 // no function is started any more
	running  map[*servedCall]bool // functions
	idle     chan struct{}        // closed when the last one has ended, if somebody waits
	failure  error                // of sending an input
	panicked *ownPanic

	inputErrors []error // what inputs yielded
}

// An ownPanic is the panic of an input or a function that ran on a goroutine of ours.
type ownPanic struct{ value any }

// errInput ends the main party's wait: an input has failed, or a function panicked.
var errInput = errors.New("tenon: an input failed")

// errSettled ends the streams of a call that is settled.
var errSettled = errors.New("tenon: the call is settled")

func talkOf(c *call.Call) *talk {
	t, _ := c.Talk.(*talk)
	return t
}

// converse carries out a call with streams, functions or progress.
func (c *Conn) converse(ctx context.Context, open *call.Call, t *talk) error {
	s := t.begin(ctx, c, open)
	if err := c.begin(ctx, open, false); err != nil {
		s.close()
		return err
	}
	defer s.finish(ctx) // also when the body of a loop panics
	s.watchOver(ctx)
	return s.withInputErrors(s.run(ctx, t))
}

// watchOver has the other side learn at once when ctx ends: the main party may be in
// the body of a loop then, or in an input, for as long as they like.
func (s *talking) watchOver(ctx context.Context) {
	if !s.loops && s.mainPort() < 0 && s.state.report == nil {
		return // it does nothing but wait
	}
	s.lapsed = make(chan struct{})
	s.watch = context.AfterFunc(ctx, func() {
		s.gaveUp = s.giveUp()
		close(s.lapsed)
	})
}

// giveUp ends the call for its caller. It reports false when the call is settled, or
// is being settled this moment.
func (s *talking) giveUp() bool {
	if !s.conn.pending.abandon(s.open) {
		return false
	}
	s.conn.outbox.cancel(s.open.ID)
	return true
}

// run runs the parties of an attempt and returns the call's error.
func (s *talking) run(ctx context.Context, t *talk) error {
	var first inputPort
	for i, p := range t.args {
		in, ok := p.(inputPort)
		if !ok {
			continue
		}
		if o := s.list[i].(*outgoing); o.party != s.main {
			s.inputs.Add(1)
			go s.runInput(ctx, in, o)
		} else {
			first = in
		}
	}
	if first != nil {
		err := first.run(ctx, s, s.list[s.mainPort()].(*outgoing))
		if err == errInput { // another one
			return s.broken(ctx, err)
		}
		if err != nil && !errors.Is(err, errStopped) {
			if err = s.explainInput(err); err != nil {
				return err
			}
		}
	}
	return s.takeResult(ctx, t.result)
}

// begin makes the state of one attempt.
func (t *talk) begin(ctx context.Context, c *Conn, open *call.Call) *talking {
	s := &talking{
		conn: c, open: open, ctx: ctx, main: newParty(c), list: make([]any, len(t.args)+t.outputs),
		loops: t.result != nil, scope: t.scope, given: t.given,
	}
	s.main.act = s.act
	s.state.report = t.progress
	mainIsFree := t.outputs == 0
	for i, p := range t.args {
		switch p := p.(type) {
		case inputPort:
			party := s.main
			if !mainIsFree {
				party = newParty(c)
			}
			mainIsFree = false
			s.list[i] = &outgoing{party: party}
		case handler:
			s.list[i] = p
		}
	}
	for i := range t.outputs {
		party := s.main
		if t.result == nil {
			party = newParty(c)
		}
		s.list[len(t.args)+i] = newIncoming(address{conn: c}, party)
	}
	t.now = s
	return s
}

// mainPort is the index of the stream whose party is the main one.
func (s *talking) mainPort() int {
	for i, p := range s.list {
		if o, ok := p.(*outgoing); ok && o.party == s.main {
			return i
		}
	}
	return -1
}

// begun is called when the call has its id, before anything of it is published.
func (t *talk) begun(id uint32) {
	s := t.now
	s.agreement = t.agreement
	for i, p := range s.list {
		a := address{conn: s.conn, id: id, port: uint16(i + 1)}
		switch p := p.(type) {
		case *outgoing:
			p.open(a)
			if t.agreement != nil {
				p.check = t.agreement.Ports[i]
			}
		case *incoming:
			p.address = a
		}
	}
	if t.began != nil {
		s.open.Spent = true
		t.began(s)
	}
}

// functionsMissing has a bit for each function that is nil.
func (t *talk) functionsMissing() (missing uint16) {
	for i, p := range t.args {
		if f, ok := p.(interface{ isNil() bool }); ok && f.isNil() {
			missing |= 1 << i
		}
	}
	return missing
}

// runInput ranges over an input on a goroutine of its own.
func (s *talking) runInput(ctx context.Context, in inputPort, o *outgoing) {
	defer s.inputs.Done()
	returned := false
	defer func() {
		if !returned {
			p := recover()
			if p != nil { // the caller's goroutine, where it is raised again, knows nothing of its stack
				s.conn.logger.Error("tenon: an input panicked", "method", s.open.Method.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			}
			s.broke(p, "an input")
		}
	}()
	err := in.run(ctx, s, o)
	returned = true
	if err == nil || errors.Is(err, errStopped) {
		return
	}
	if linkEnded(err) {
		s.conn.sendFailed(err) // the call is settled with the others
		return
	}
	s.mu.Lock()
	if s.failure == nil {
		s.failure = err
	}
	s.mu.Unlock()
	s.main.call(nil)
}

// broke has the call end: an input or a function did not return. p is its panic, which
// is raised again on the caller's goroutine, or nil.
func (s *talking) broke(p any, what string) {
	s.mu.Lock()
	if p != nil {
		s.panicked = &ownPanic{p}
	} else {
		s.failure = &Error{Code: Panicked, Message: what + " ended its goroutine (runtime.Goexit)"}
	}
	s.mu.Unlock()
	s.main.call(nil)
}

// explainInput is the error of a call whose input could not be sent, or nil if the
// connection has ended and will settle the call.
func (s *talking) explainInput(err error) error {
	var (
		e      *Error
		encode encodeError
	)
	switch {
	case errors.As(err, &encode):
		return &Error{Code: InvalidArgument, Message: "an item of the input cannot be encoded: " + err.Error(), cause: encode.err}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return contextError(err)
	case errors.As(err, &e):
		return e
	case linkEnded(err):
		s.conn.sendFailed(err)
		return nil
	}
	return err
}

// act is what the main party does before it goes on.
func (s *talking) act() error {
	s.mu.Lock()
	failed := s.failure != nil || s.panicked != nil
	s.mu.Unlock()
	if failed {
		return errInput
	}
	s.state.deliver(false)
	return nil
}

// takeResult takes the items of the result, if that is a stream, waits for the
// answer and returns the call's error.
func (s *talking) takeResult(ctx context.Context, result taker) error {
	if result != nil {
		in := s.list[len(s.list)-1].(*incoming)
		for {
			c, ok, err := in.next(ctx)
			if err == errSettled || err == nil && !ok {
				break
			}
			if err != nil {
				return s.broken(ctx, err)
			}
			s.open.Spent = true
			if s.state.report != nil {
				s.state.received(int64(len(c.data)))
			}
			if more, err := result.take(c); !more {
				return err
			}
		}
	}
	if err := s.main.wait(ctx, s.done.Load); err != nil {
		return s.broken(ctx, err)
	}
	s.state.deliver(true)
	return s.conn.outcome(ctx, s.open)
}

// broken is the call's error when the main party's wait has failed.
func (s *talking) broken(ctx context.Context, err error) error {
	if err == errInput {
		s.mu.Lock()
		err = s.failure
		s.mu.Unlock()
		if err == nil {
			return errInput // finish panics
		}
		if err = s.explainInput(err); err != nil {
			return err
		}
	}
	if linkEnded(err) {
		s.conn.sendFailed(err)
		if err := s.main.wait(ctx, s.done.Load); err == nil {
			return s.conn.outcome(ctx, s.open)
		}
	}
	if ctx.Err() != nil {
		return contextError(ctx.Err())
	}
	return s.explainInput(err)
}

// settle says that the outcome stands in open. r is the reader if its role is the
// caller's, else nil.
func (s *talking) settle(r *reader) {
	s.open.Settled <- struct{}{}
	s.done.Store(true)
	for _, p := range s.list {
		switch p := p.(type) {
		case *outgoing:
			p.stop(r)
		case *incoming:
			p.finish(r, errSettled)
		}
	}
	if !s.loops { // else there may be items to take first, and finish does it
		s.cutInputs()
	}
	s.main.wake(r)
}

// finish ends the attempt, however it went: nothing of it is left when it returns.
func (s *talking) finish(ctx context.Context) {
	if s.watch != nil && !s.watch() {
		<-s.lapsed
	}
	if !s.gaveUp && (s.done.Load() || !s.giveUp()) {
		s.main.act = func() error { return nil }
		_ = s.main.wait(context.Background(), s.done.Load) // this moment
		<-s.open.Settled
	}
	s.close()
	s.cutInputs()
	s.inputs.Wait()
	s.dropParts()
	s.endFunctions(ctx)
	s.tally(s.open.Tally)
	s.mu.Lock()
	panicked := s.panicked
	s.mu.Unlock()
	if panicked != nil {
		panic(panicked.value)
	}
}

// dropParts has the other side forget items that were sent in part.
func (s *talking) dropParts() {
	for _, p := range s.list {
		if o, ok := p.(*outgoing); ok && o.cut {
			s.conn.outbox.cancel(s.open.ID)
			return
		}
	}
}

// tally counts what travelled through the ports.
func (s *talking) tally(t *call.Tally) {
	if t == nil {
		t = new(call.Tally)
	}
	for _, p := range s.list {
		switch p := p.(type) {
		case *outgoing:
			items, bytes := p.total()
			t.SentItems += items
			t.SentBytes += bytes
			s.open.Spent = s.open.Spent || p.puts > 0 || s.inputCut.Load()
		case *incoming:
			if p.party == s.main {
				t.ReceivedItems += p.takenItems
				t.ReceivedBytes += p.takenBytes
			}
		}
	}
}

// close ends the streams on this side.
func (s *talking) close() {
	for _, p := range s.list {
		switch p := p.(type) {
		case *outgoing:
			p.stop(nil)
		case *incoming:
			p.finish(nil, errSettled)
			if p.party == s.main {
				p.close()
			} // else the loop does
		}
	}
}

// portOfTalk finds a port for the reader.
func portOfTalk[T any](s *talking, f wire.Frame) (p T, err error) {
	if n := int(f.Port); n >= 1 && n <= len(s.list) {
		if p, ok := s.list[n-1].(T); ok {
			return p, nil
		}
	}
	return p, noPort(f)
}
