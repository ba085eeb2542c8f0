package tenon

import (
	"context"
	"errors"
)

type inputsKey struct{}

// errInputsOver is the cause that ends what inputs wait for when their call is over.
var errInputsOver = errors.New("tenon: the call that this input belongs to is over")

// WithInputCancel is context.WithCancel for a call whose input may have to wait: for
// a channel, a timer, the standard input. Make the call with the context, and have
// its inputs watch it:
//
//	ctx, cancel := tenon.WithInputCancel(ctx)
//	defer cancel()
//	n, err := library.Import(ctx, scansFrom(ctx, scanner))
//
// It is canceled, too, when the call is over and an input of it still runs: the
// handler has answered, the loop over the result was left, the connection or the
// call's own context has ended. Such a call then returns at once; without, it
// returns when its input next yields or ends. It is not made again by a pool or a
// [Client]: items that were taken, from a channel say, are gone, also where
// [SafeToRetry] says that the handler has not run.
//
// The context is for one call; it is of no use for others once it was canceled, and
// does not pass on to calls that the handler makes. With an implementation of the
// interface in the same process it is a context like any other.
func WithInputCancel(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	return context.WithValue(ctx, inputsKey{}, &inputScope{ctx, cancel}), func() { cancel(nil) }
}

// An inputScope is what the inputs of a call watch.
type inputScope struct {
	ctx context.Context
	end context.CancelCauseFunc
}

// detach returns the context of a call that was made with ctx: it ends when ctx
// does, but not because the call is over, for then there may be items to take still.
func (t *talk) detach(ctx context.Context) (own context.Context, release context.CancelFunc) {
	scope, _ := ctx.Value(inputsKey{}).(*inputScope)
	if scope == nil || ctx.Err() != nil {
		return ctx, func() {}
	}
	t.scope, t.given = scope, ctx
	deadline, limited := ctx.Deadline()
	own, cancel := context.WithCancelCause(context.WithValue(context.WithoutCancel(ctx), inputsKey{}, nil))
	expire := func() {}
	if limited {
		own, expire = context.WithDeadline(own, deadline)
	}
	stop := context.AfterFunc(ctx, func() {
		cause := context.Cause(ctx)
		if cause == errInputsOver {
			return
		}
		if !limited || ctx.Err() != context.DeadlineExceeded { // else it says so by itself
			cancel(cause)
		}
		<-own.Done()
		scope.end(errInputsOver) // ctx may be a child of what they watch
	})
	return own, func() {
		stop()
		expire()
		cancel(nil)
	}
}

// cutInputs has inputs end that still run although the call is over.
func (s *talking) cutInputs() {
	if s.scope != nil && s.ranging.Load() > 0 {
		s.inputCut.Store(true)
		s.scope.end(errInputsOver)
	}
}

// inputsCanceled is the error of a context whose end may be why an input has ended.
// ctx is the call's own.
func (s *talking) inputsCanceled(ctx context.Context) error {
	if s.scope == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	if err := s.scope.ctx.Err(); err != nil {
		return err
	}
	return s.given.Err() // ctx ends a moment later
}

// inputFailed keeps the error of an input that the handler gets, for the caller.
func (s *talking) inputFailed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inputErrors = append(s.inputErrors, err)
}

// withInputErrors adds the errors of inputs, as they are, to what has become of
// their call.
func (s *talking) withInputErrors(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil || len(s.inputErrors) == 0 {
		return err
	}
	if e, ok := errors.AsType[*Error](err); ok {
		own := *e // others may have it too
		own.cause = errors.Join(append([]error{e.cause}, s.inputErrors...)...)
		return &own
	}
	return errors.Join(append([]error{err}, s.inputErrors...)...)
}
