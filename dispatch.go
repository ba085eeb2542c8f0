package tenon

import (
	"bytes"
	"fmt"

	"github.com/tenon-go/tenon/internal/call"
	"github.com/tenon-go/tenon/internal/wire"
)

// take acts on one frame. It runs in the reader's role: it sends nothing, waits
// for nothing, and runs no code of users. An error ends the connection.
func (r *reader) take(f wire.Frame) error {
	if f.Kind != wire.Fragment && f.Flags&wire.More == 0 {
		if len(f.Body) > r.parts.message && (f.Kind == wire.Call || f.Kind == wire.Answer) {
			return r.refuse(f, tooLarge(len(f.Body), r.parts.message))
		}
		return r.act(f, false)
	}
	whole, done, refused, err := r.parts.add(f)
	if err != nil {
		return protocolError{err}
	}
	if !done {
		return nil
	}
	if refused != nil {
		return r.refuse(whole, refused)
	}
	return r.act(whole, true)
}

// act acts on a whole message. Its body belongs to us if owned, else to the link.
func (r *reader) act(f wire.Frame, owned bool) error {
	c := r.conn
	if (f.Kind == wire.Hello) == c.peer.received.Load() && f.Kind != wire.Bye {
		return protocolError{fmt.Errorf("its hello is not its first message, or comes twice (%v)", f)}
	}
	switch f.Kind {
	case wire.Hello:
		c.peer.received.Store(true)
		return c.takeHello(f)
	case wire.Call:
		r.served = true
		if r.waiting.Load() == 0 {
			r.pushes = pushesExpected
		}
		return c.serve(f, owned)
	case wire.Cancel:
		if r.parts.drop(f.ID) {
			c.outbox.refuse(f.ID, wire.Failure{Code: uint32(Canceled), Message: "the call was canceled before it was complete"})
		}
		c.served.cancel(f.ID)
	case wire.Answer, wire.Error:
		r.answered = true
		return r.settle(f, owned)
	case wire.Describe:
		if n := len(*c.served.handlers.Load()); uint64(f.Arg) >= uint64(n) {
			return protocolError{fmt.Errorf("a question about method %d of %d", f.Arg, n)}
		}
		c.outbox.describe(f.Arg)
	case wire.Announce:
		methods, err := wire.ParseMethods(f.Body)
		if err == nil {
			err = c.peer.learnOf(f.Arg, methods)
		}
		if err != nil {
			return protocolError{err}
		}
	case wire.Description:
		c.peer.described(f.Arg, string(f.Body))
	case wire.Ping:
		c.outbox.reply(f.Arg)
	case wire.Pong:
		c.pings.returned(f.Arg)
	case wire.Bye:
		if f.Flags&wire.Final != 0 {
			return r.detached()
		}
		return c.farewell(f)
	}
	return nil // of a later version, or none of our business yet
}

// refuse answers a message that was too large to be kept.
func (r *reader) refuse(f wire.Frame, why error) error {
	switch f.Kind {
	case wire.Call:
		r.conn.outbox.refuse(f.ID, wire.Failure{Code: uint32(ResourceExhausted), Message: why.Error()})
	case wire.Answer, wire.Error:
		if open, _ := r.conn.pending.take(f.ID); open != nil {
			r.conclude(open, call.Outcome{Err: &Error{Code: ResourceExhausted, Message: "the answer is too large: " + why.Error()}})
		}
	}
	return nil
}

// settle settles the call that f is the answer of.
func (r *reader) settle(f wire.Frame, owned bool) error {
	c := r.conn
	open, known := c.pending.take(f.ID)
	if !known {
		return protocolError{fmt.Errorf("an answer to call %d, which is not open", f.ID)}
	}
	if open == nil {
		return nil // its caller gave up
	}
	if f.Kind == wire.Error {
		r.conclude(open, call.Outcome{Err: c.failure(f)})
		return nil
	}
	var metadata []byte
	result := f.Body
	if f.Flags&wire.HasMetadata != 0 {
		o, rest, err := wire.ParseCall(wire.HasMetadata, result)
		if err != nil {
			r.conclude(open, call.Outcome{Err: &Error{Code: Broken, Message: err.Error()}})
			return protocolError{err}
		}
		metadata, result = bytes.Clone(o.Metadata), rest
	}
	if owned {
		open.Outcome = call.Outcome{Result: result, Owned: true}
	} else {
		open.SetResult(result)
	}
	open.Outcome.Metadata = metadata
	if open.Tally != nil {
		open.Tally.ReceivedBytes += int64(len(result))
	}
	r.tell(&open.Waiter)
	return nil
}

// conclude ends a call that was taken out of the pending ones.
func (r *reader) conclude(open *call.Call, outcome call.Outcome) {
	open.Outcome = outcome
	r.tell(&open.Waiter)
}

// tell ends a wait. The one who reads knows.
func (r *reader) tell(w *call.Waiter) {
	if w == r.leader {
		r.settled = true
		return
	}
	if w.Parked.Load() {
		r.ready = true
	}
	w.Settled <- struct{}{}
}

// failure reads an error frame.
func (c *Conn) failure(f wire.Frame) *Error {
	failure, err := wire.ParseFailure(f.Body)
	if err != nil {
		return &Error{Code: Broken, Message: err.Error()}
	}
	e := &Error{
		Code:        Code(failure.Code),
		Message:     failure.Message,
		Details:     failure.Details,
		SafeToRetry: f.Flags&wire.Refused != 0,
	}
	e.cause = joinErrors(failure.Errors)
	return e
}

const shuttingDown = "the other side is shutting down"

// farewell acts on the peer's bye: it takes no more calls, and will answer those
// it accepted, up to and including the one it names.
func (c *Conn) farewell(f wire.Frame) error {
	err := &Error{Code: Unavailable, Message: shuttingDown, SafeToRetry: true}
	if len(f.Body) > 0 {
		err = c.failure(f)
		err.SafeToRetry = true
	}
	for _, open := range c.pending.refuse(f.Arg, err) {
		c.reader.conclude(open, call.Outcome{Err: err})
	}
	c.peer.end(err)
	return nil
}

// settle is conclude of those who do not read.
func settle(open *call.Call, outcome call.Outcome) {
	open.Outcome = outcome
	open.Settled <- struct{}{}
}
