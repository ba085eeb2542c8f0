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
	if f.Kind == wire.Fragment && f.Port != 0 && !r.parts.has(f) {
		return nil // of an item whose call ended before it was complete
	}
	r.bulk = true
	whole, done, refused, err := r.parts.add(f)
	if err != nil {
		return protocolError{err}
	}
	if !done {
		r.partial(f)
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
		if r.parts.drop(f.ID, false) {
			return c.outbox.refuse(f.ID, wire.Failure{Code: uint32(Canceled), Message: "the call was canceled before it was complete"})
		}
		c.served.cancel(f.ID)
	case wire.Answer, wire.Error:
		r.answered = true
		return r.settle(f, owned)
	case wire.Item, wire.End, wire.Reset, wire.Credit:
		r.answered = true
		return r.stream(f, owned)
	case wire.Function:
		return r.function(f, owned)
	case wire.Progress:
		if f.Flags&wire.Callee != 0 {
			return c.pending.talking(f.ID).progressed(r, f)
		}
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
	case wire.Call, wire.Function:
		return r.conn.outbox.refuse(f.ID, wire.Failure{Code: uint32(ResourceExhausted), Message: why.Error(), Errors: namedErrors(ErrTooLarge)})
	case wire.Answer, wire.Error:
		if open, _ := r.conn.pending.take(r, f.ID); open != nil {
			conclude(r, open, call.Outcome{Err: &Error{Code: ResourceExhausted, Message: "the answer is too large: " + why.Error(), cause: ErrTooLarge}})
		}
	case wire.Item:
		in, _, err := r.streamPorts(f)
		if in != nil {
			in.finish(r, &Error{Code: ResourceExhausted, Message: "an item is too large: " + why.Error(), cause: ErrTooLarge})
		}
		return err
	}
	return nil
}

// streamPorts finds the two ends that a frame may be for: neither if the call is
// over.
func (r *reader) streamPorts(f wire.Frame) (in *incoming, out *outgoing, err error) {
	if f.Flags&wire.Callee == 0 {
		s := r.conn.served.get(f.ID)
		if s == nil {
			return nil, nil, nil
		}
		if f.Port < 1 || int(f.Port) > s.handler.method().Ports {
			return nil, nil, noPort(f)
		}
		p := s.port(f.Port)
		return p.in, p.out, nil
	}
	s := r.conn.pending.talking(f.ID)
	if s == nil {
		return nil, nil, nil
	}
	if f.Kind == wire.Item || f.Kind == wire.End {
		in, err = portOfTalk[*incoming](s, f)
	} else {
		out, err = portOfTalk[*outgoing](s, f)
	}
	return in, out, err
}

func noPort(f wire.Frame) error {
	return protocolError{fmt.Errorf("%v for a port that the call does not have", f)}
}

// stream acts on a frame of a stream.
func (r *reader) stream(f wire.Frame, owned bool) error {
	in, out, err := r.streamPorts(f)
	if err != nil {
		return err
	}
	switch {
	case f.Kind == wire.Item && in != nil:
		return in.push(r, f, owned)
	case f.Kind == wire.End && in != nil:
		var why error
		if len(f.Body) > 0 {
			why = r.conn.failure(f)
		}
		in.finish(r, why)
	case f.Kind == wire.Credit && out != nil:
		return out.credit(r, f)
	case f.Kind == wire.Reset && out != nil:
		out.stop(r)
	}
	return nil
}

// partial notes that a part of a large answer has come.
func (r *reader) partial(f wire.Frame) {
	if f.Flags&wire.Callee == 0 || f.Port != 0 {
		return
	}
	if t := r.conn.pending.talking(f.ID); t != nil {
		if p := r.parts.parts[partKey{f.ID, 0, true}]; p != nil {
			t.partial(r, int64(p.seen), int64(p.total))
		}
	}
}

// settle settles the call that f is the answer of.
func (r *reader) settle(f wire.Frame, owned bool) error {
	c := r.conn
	if len(r.parts.parts) > 0 {
		r.parts.drop(f.ID, true) // items that were cut off
	}
	open, known := c.pending.take(r, f.ID)
	if !known {
		return protocolError{fmt.Errorf("an answer to call %d, which is not open", f.ID)}
	}
	if open == nil {
		return nil // its caller gave up
	}
	if f.Kind == wire.Error {
		conclude(r, open, call.Outcome{Err: c.failure(f)})
		return nil
	}
	var metadata []byte
	result := f.Body
	if f.Flags&wire.HasMetadata != 0 {
		o, rest, err := wire.ParseCall(wire.HasMetadata, result)
		if err != nil {
			conclude(r, open, call.Outcome{Err: &Error{Code: Broken, Message: err.Error()}})
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
	tellCaller(r, open)
	return nil
}

// conclude ends a call that was taken out of the pending ones. r is the reader if
// its role is the caller's, else nil.
func conclude(r *reader, open *call.Call, outcome call.Outcome) {
	open.Outcome = outcome
	tellCaller(r, open)
}

// tellCaller tells who made the call that its outcome is there.
func tellCaller(r *reader, open *call.Call) {
	switch t := talkOf(open); {
	case t != nil:
		t.now.settle(r)
	case r != nil:
		r.tell(&open.Waiter)
	default:
		open.Settled <- struct{}{}
	}
}

// end ends a wait. by is the reader if its role is the caller's, else nil.
func (r *reader) end(w *call.Waiter, by *reader) {
	if by != nil {
		r.tell(w)
		return
	}
	w.Settled <- struct{}{}
	r.nudge()
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
	for _, open := range c.pending.refuse(c.reader, f.Arg, err) {
		conclude(c.reader, open, call.Outcome{Err: err})
	}
	c.peer.end(err)
	return nil
}
