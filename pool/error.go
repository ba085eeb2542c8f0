package pool

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/tenon-go/tenon"
)

// Errors of calls that got no member. None of them has run: they satisfy
// tenon.SafeToRetry.
var (
	// ErrQueueFull: every member is busy, and as many calls wait as may.
	ErrQueueFull = errors.New("pool: every member is busy and the queue is full")

	// ErrClosed: the pool was closed.
	ErrClosed = errors.New("pool: closed")
)

// refused is a call's error when it got no member: a *tenon.Error and the reason.
type refused struct {
	call   *tenon.Error
	reason error
}

func (r *refused) Error() string   { return r.call.Error() }
func (r *refused) Unwrap() []error { return []error{r.call, r.reason} }

func refuse(method string, code tenon.Code, reason error, message string) error {
	return &refused{
		call:   &tenon.Error{Code: code, Message: message, Method: method, SafeToRetry: true},
		reason: reason,
	}
}

// tooLate is the error of a call whose context ended while it waited.
func (p *Pool) tooLate(ctx context.Context, method string) error {
	code, reason := tenon.Canceled, ctx.Err()
	if errors.Is(reason, context.DeadlineExceeded) {
		code = tenon.DeadlineExceeded
	}
	if cause := context.Cause(ctx); cause != reason {
		reason = fmt.Errorf("%w: %w", reason, cause)
	}
	members := len(*p.seats.Load())
	what := fmt.Sprintf("%v while waiting for one of %d busy members", reason, members)
	if members == 0 {
		what = fmt.Sprintf("%v while waiting for a member: none is running", reason)
		if err := p.lastFailure(); err != nil {
			what = fmt.Sprintf("%s, the last start failed: %v", what, err)
		}
	}
	return refuse(method, code, reason, "pool: "+what)
}

// worthAnother reports whether another member may carry out what this one did
// not.
func worthAnother(err error) bool {
	var e *tenon.Error
	return errors.As(err, &e) && e.SafeToRetry && e.Code == tenon.Unavailable
}

// explain says of a call that ended because its member was closed why that was
// not put off any longer.
func (s *seat) explain(err error) error {
	why := s.cutOff.Load()
	e, ok := err.(*tenon.Error)
	if why == nil || !ok || !errors.Is(err, net.ErrClosed) {
		return err
	}
	own := *e
	own.Message = *why
	return &own
}
