package intercept

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tenon-go/tenon"
)

// A Policy says how often [Retry] has a call made and how long it waits between.
// Fields that are zero have their defaults.
type Policy struct {
	Attempts int           // in all; 3
	Pause    time.Duration // before the second attempt; 50 ms. It doubles each time.
	MaxPause time.Duration // 2 s
}

// Retry returns an interceptor for the caller's side that has a call made again
// after an error that may pass: Unavailable, ResourceExhausted, or a deadline that
// is not the call's own. The error must be safe to retry; for a method that is
// marked idempotent every Unavailable will do. Each pause varies by chance between
// its half and its whole.
//
// A pool and a [tenon.Client] already make a call again, elsewhere and at once,
// that did not run because a connection was lost. Put Retry around them, with
// [tenon.Intercept], for the rest. Around a handler it does nothing: an error in
// there says nothing about the handler itself.
func Retry(p Policy) tenon.Interceptor {
	if p.Attempts < 0 || p.Pause < 0 || p.MaxPause < 0 {
		panic(fmt.Sprintf("intercept: Retry(%+v): less than nothing is not possible, and 0 is the default", p))
	}
	if p.Attempts == 0 {
		p.Attempts = 3
	}
	if p.Pause == 0 {
		p.Pause = 50 * time.Millisecond
	}
	if p.MaxPause == 0 {
		p.MaxPause = 2 * time.Second
	}
	return func(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) error {
		pause := p.Pause
		for attempt := 1; ; attempt++ {
			err := next(ctx)
			if err == nil || info.Serving || info.Spent || !passing(info, err) || ctx.Err() != nil {
				return err
			}
			if attempt == p.Attempts {
				return afterAttempts(err, attempt)
			}
			pause = min(pause, p.MaxPause)
			if done, ended := wait(ctx, pause/2+rand.N(pause/2+1), err); done {
				return ended
			}
			pause *= 2
		}
	}
}

// passing reports whether the same call may have more luck later.
func passing(info *tenon.CallInfo, err error) bool {
	safe := tenon.SafeToRetry(err)
	switch tenon.CodeOf(err) {
	case tenon.Unavailable:
		return safe || info.Idempotent
	case tenon.ResourceExhausted:
		return safe && !errors.Is(err, tenon.ErrTooLarge) // which it will be again
	case tenon.DeadlineExceeded:
		return safe
	}
	return false
}

// wait waits for d. It is done at once, with err, when ctx ends before; and with
// ctx's error when that is canceled meanwhile.
func wait(ctx context.Context, d time.Duration, err error) (done bool, ended error) {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d {
		return true, err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return false, nil
	case <-ctx.Done():
		return true, givenUp(ctx, "before the next attempt, after: "+err.Error(), tenon.SafeToRetry(err))
	}
}

// afterAttempts says in an error how often it was tried.
func afterAttempts(err error, attempts int) error {
	if e, ok := err.(*tenon.Error); ok && attempts > 1 {
		own := *e
		own.Message = fmt.Sprintf("%s (%d attempts)", e.Message, attempts)
		return &own
	}
	return err
}

// givenUp is the error of a call whose context ended while it waited.
func givenUp(ctx context.Context, what string, safe bool) error {
	return &tenon.Error{Code: tenon.CodeOf(ctx.Err()), Message: ctx.Err().Error() + " " + what, SafeToRetry: safe}
}
