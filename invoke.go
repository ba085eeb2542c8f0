package tenon

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/call"
	"github.com/tenon-go/tenon/internal/shape"
	"github.com/tenon-go/tenon/internal/spin"
	"github.com/tenon-go/tenon/internal/wire"
)

// Invoke carries out one call of this side. It makes a Conn a [Caller];
// programs call through generated clients, or through [Method.Call].
func (c *Conn) Invoke(ctx context.Context, open *call.Call) error {
	if len(c.calls) == 0 {
		return c.invoke(ctx, open)
	}
	return around(ctx, c.calls, c.about(open.Method, false), open, c.invoke)
}

func (c *Conn) invoke(ctx context.Context, open *call.Call) error {
	var err error
	report := progressOf(ctx)
	switch t := talkOf(open); {
	case open.CheckOnly:
		err = c.begin(ctx, open, false)
	case t != nil:
		t.progress = report
		err = c.converse(ctx, open, t)
	case report != nil:
		open.Talk = &talk{progress: report}
		err = c.converse(ctx, open, talkOf(open))
		open.Talk = nil
	default:
		if err = c.begin(ctx, open, false); err == nil {
			err = c.finish(ctx, open)
		}
	}
	if err == nil {
		return nil
	}
	err = c.explain(ctx, err, open.Method.Name)
	if e, ok := err.(*Error); ok {
		e.function = open.Port != 0
	}
	return err
}

// begin sends a call. A lazy one is published with what comes after it.
func (c *Conn) begin(ctx context.Context, open *call.Call, lazy bool) error {
	if open.Tally != nil {
		*open.Tally = call.Tally{Carrier: c}
	}
	if err := ctx.Err(); err != nil {
		return unsent(err)
	}
	h := wire.Header{Kind: wire.Function, Port: open.Port, Arg: open.Parent}
	var err error
	if open.Port == 0 {
		if h, err = c.headerOf(ctx, open); err != nil {
			return unsent(err)
		}
	}
	if open.CheckOnly {
		return nil
	}
	open.Remaining, open.Metadata = 0, nil
	if deadline, ok := ctx.Deadline(); ok && !open.Method.OneWay {
		h.Flags |= wire.HasDeadline
		open.Remaining = max(time.Until(deadline), 1)
	}
	if open.Metadata, err = outgoingMetadata(ctx, c.peer.limits.Metadata); err != nil {
		return unsent(err)
	}
	if open.Metadata != nil {
		h.Flags |= wire.HasMetadata
	}
	open.ID, open.Leads, open.Since = 0, false, 0
	if err := c.admit(ctx, open); err != nil {
		return unsent(err)
	}
	m := message{header: h, body: open, call: open, userCode: open.UserCode, lazy: lazy, limit: c.peer.limits.Message}
	if t := talkOf(open); t != nil && t.progress != nil {
		m.progress = &t.now.state
	}
	published, err := c.publish(ctx, m)
	if err != nil && !published {
		if linkEnded(err) {
			return c.unavailable(ctx, err)
		}
		return unsent(err)
	}
	switch {
	case err == nil && !lazy:
	case err == nil:
		if c.sender.dirty.CompareAndSwap(false, true) {
			c.sender.later.Reset(lazyDelay) // if nobody does it before
		}
	case linkEnded(err):
		c.sendFailed(err) // our call is settled with the others
	default:
		c.outbox.flush() // ctx ended in the middle of what others wait for too
	}
	return nil
}

// headerOf is the header of a call, whose method is compared with the peer's
// first.
func (c *Conn) headerOf(ctx context.Context, open *call.Call) (h wire.Header, err error) {
	known, err := c.lookUp(ctx, open.Method)
	if err != nil {
		return h, err
	}
	h = wire.Header{Kind: wire.Call, Arg: known.number}
	if t := talkOf(open); t != nil {
		h.Port = t.functionsMissing()
		t.agreement = known.agreement
	}
	if a := known.agreement; a != nil && a.Surplus && !open.CheckOnly {
		err = checkSurplus(a, open)
	}
	return h, err
}

// finish waits for the outcome of a call that was sent, and decodes it.
func (c *Conn) finish(ctx context.Context, open *call.Call) error {
	if open.Method.OneWay {
		if c.pending.abandon(open) {
			return nil
		}
		<-open.Settled // this moment
		return open.Outcome.Err
	}
	if err := c.await(ctx, &open.Waiter); err != nil {
		if c.pending.abandon(open) {
			c.outbox.cancel(open.ID)
			return contextError(err)
		}
		<-open.Settled // this moment
	}
	return c.outcome(ctx, open)
}

// outcome returns the error of a call that is settled, or decodes its result.
func (c *Conn) outcome(ctx context.Context, open *call.Call) error {
	if open.Outcome.Err != nil {
		return open.Outcome.Err
	}
	if md := open.Outcome.Metadata; md != nil {
		if err := giveMetadata(ctx, md); err != nil {
			return err
		}
	}
	if err := open.Decode(); err != nil {
		return &Error{Code: InvalidResult, Message: "the result cannot be decoded: " + err.Error(), cause: err}
	}
	return nil
}

// publish sends a call that has a place among the pending ones, which it gives
// back if nothing was sent; also when encoding, which may run code of users,
// panics.
func (c *Conn) publish(ctx context.Context, m message) (published bool, err error) {
	if s := servedBy(ctx, c); s != nil && s.timed {
		defer s.aside(clock())
	}
	returned := false
	defer func() {
		switch {
		case published:
		case m.call.ID == 0:
			c.pending.dismiss()
		case !returned && c.pending.abandon(m.call): // a report of progress panics in the middle
			c.outbox.cancel(m.call.ID)
		case !c.pending.forget(m.call.ID):
			<-m.call.Settled // the connection ended meanwhile
		}
	}()
	published, err = c.sender.send(ctx, m)
	returned = true
	return published, err
}

// await waits until the wait of w is over, and returns ctx's error if that ends
// first.
func (c *Conn) await(ctx context.Context, w *call.Waiter) error {
	if !w.Leads && len(w.Settled) > 0 { // by whoever has read meanwhile
		<-w.Settled
		return nil
	}
	r, s := c.reader, servedBy(ctx, c)
	if s != nil && s.timed {
		defer s.aside(clock())
	}
	r.waiting.Add(1)
	if !r.lead(ctx, w) {
		if s != nil && s.inPlace {
			s.handler.pace().parked()
		}
		defer r.waiting.Add(-1)
		w.Parked.Store(true)
		defer w.Parked.Store(false)
		select {
		case <-w.Settled:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if spin.Quick(w.Since, c.polling) {
		r.quick.Add(1)
	}
	return nil
}

// checkSurplus makes sure that the peer, whose contract is an older one, loses
// nothing that the arguments have.
func checkSurplus(a *shape.Agreement, open *call.Call) error {
	var e codec.Encoder
	encoded := open.AppendBody(make([]byte, wire.HeaderSize), &e)
	if e.Err() != nil {
		return encodeError{e.Err()}
	}
	return surplus(a, bytes.Join(cutSegments(encoded[wire.HeaderSize:], e.Segments()), nil))
}

// surplus is the error of values that have what the peer does not know.
func surplus(a *shape.Agreement, values []byte) error {
	err := a.Check(values)
	if found, ok := errors.AsType[*shape.Surplus](err); ok {
		return &Error{Code: Mismatch, Message: found.Error(), cause: found}
	}
	if err != nil {
		return encodeError{err}
	}
	return nil
}

// unsent is the error of a call of which the peer has seen nothing.
func unsent(err error) error {
	var (
		e      *Error
		encode encodeError
	)
	switch {
	case errors.As(err, &e):
		own := *e // others may have it too
		e = &own
	case errors.As(err, &encode):
		e = &Error{Code: InvalidArgument, Message: "the arguments cannot be encoded: " + err.Error(), cause: encode.err}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e = contextError(err)
	default:
		e = &Error{Code: Unavailable, Message: err.Error(), cause: err}
	}
	e.SafeToRetry = true
	return e
}

// unavailable is the error of a call that could not be sent. It waits a moment
// for the reason of the connection's end.
func (c *Conn) unavailable(ctx context.Context, err error) error {
	c.sendFailed(err)
	select {
	case <-c.done:
		e := *c.failed
		e.SafeToRetry = true
		return &e
	case <-ctx.Done():
		return unsent(ctx.Err())
	}
}

// explain says which call failed, with whom, and why its context has ended if that was it.
func (c *Conn) explain(ctx context.Context, err error, method string) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	named := *e // the error of a broken connection is shared by its calls
	named.Method, named.Peer = method, c.options.peer
	named.becauseOf(ctx)
	return &named
}
