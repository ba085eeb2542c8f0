package intercept_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/intercept"
)

// attempt calls an interceptor with answers for each attempt, in a bubble where
// time passes by itself.
func attempt(t *testing.T, ctx func() (context.Context, context.CancelFunc), i tenon.Interceptor, info *tenon.CallInfo, answers ...error) (attempts int, took time.Duration, err error) {
	synctest.Test(t, func(*testing.T) {
		ctx, cancel := ctx()
		defer cancel()
		began := time.Now()
		err = i(ctx, info, func(context.Context) error {
			attempts++
			return answers[min(attempts, len(answers))-1]
		})
		took = time.Since(began)
	})
	return attempts, took, err
}

func unbounded() (context.Context, context.CancelFunc) {
	return context.WithCancel(context.Background())
}

func failure(code tenon.Code, safe bool) error {
	return &tenon.Error{Code: code, Message: "it failed", SafeToRetry: safe}
}

func TestRetryKnowsWhatMayBeMadeAgain(t *testing.T) {
	const most = 4
	for _, c := range []struct {
		name string
		info tenon.CallInfo
		err  error
		want int
	}{
		{"gone before it ran", tenon.CallInfo{}, failure(tenon.Unavailable, true), most},
		{"gone while it ran", tenon.CallInfo{}, failure(tenon.Unavailable, false), 1},
		{"gone while it ran, but it is idempotent", tenon.CallInfo{Idempotent: true}, failure(tenon.Unavailable, false), most},
		{"with streams that were begun", tenon.CallInfo{Idempotent: true, Spent: true}, failure(tenon.Unavailable, true), 1},
		{"of another side's handler", tenon.CallInfo{Serving: true}, failure(tenon.Unavailable, true), 1},
		{"too many", tenon.CallInfo{}, failure(tenon.ResourceExhausted, true), most},
		{"too many for a handler", tenon.CallInfo{Idempotent: true}, failure(tenon.ResourceExhausted, false), 1},
		{"never of use", tenon.CallInfo{Idempotent: true}, failure(tenon.Mismatch, true), 1},
		{"not allowed", tenon.CallInfo{Idempotent: true}, failure(tenon.PermissionDenied, true), 1},
		{"the handler's answer", tenon.CallInfo{Idempotent: true}, errors.New("sold out"), 1},
	} {
		n, _, err := attempt(t, unbounded, intercept.Retry(intercept.Policy{Attempts: most}), &c.info, c.err)
		if n != c.want || err == nil || !strings.Contains(err.Error(), c.err.Error()[:8]) || strings.Contains(err.Error(), "(4 attempts)") != (n == most) {
			t.Errorf("%s: %d attempts, %v", c.name, n, err)
		}
	}
	n, _, err := attempt(t, unbounded, intercept.Retry(intercept.Policy{}), &tenon.CallInfo{}, failure(tenon.Unavailable, true), nil)
	if n != 2 || err != nil {
		t.Errorf("the second works: %d attempts, %v", n, err)
	}
}

func TestRetryPausesGrowAndVary(t *testing.T) {
	policy := intercept.Policy{Attempts: 6, Pause: 100 * time.Millisecond, MaxPause: 400 * time.Millisecond}
	seen := map[time.Duration]bool{}
	for range 20 {
		n, took, _ := attempt(t, unbounded, intercept.Retry(policy), &tenon.CallInfo{}, failure(tenon.Unavailable, true))
		const whole = (100 + 200 + 400 + 400 + 400) * time.Millisecond
		if n != 6 || took < whole/2 || took > whole {
			t.Errorf("%d attempts in %v", n, took)
		}
		seen[took] = true
	}
	if len(seen) < 2 {
		t.Error("the pauses do not vary")
	}
}

func TestRetryHeedsTheContext(t *testing.T) {
	policy := intercept.Policy{Attempts: 100, Pause: time.Second, MaxPause: time.Second}
	short := func() (context.Context, context.CancelFunc) {
		return context.WithTimeout(context.Background(), 100*time.Millisecond)
	}
	n, took, err := attempt(t, short, intercept.Retry(policy), &tenon.CallInfo{}, failure(tenon.Unavailable, true))
	if code, safe := codeOf(err); n != 1 || took != 0 || code != tenon.Unavailable || !safe {
		t.Errorf("a deadline before the pause ends: %d attempts in %v, %v", n, took, err)
	}
	canceled := func() (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(1200*time.Millisecond, cancel)
		return ctx, cancel
	}
	n, took, err = attempt(t, canceled, intercept.Retry(policy), &tenon.CallInfo{Idempotent: true}, failure(tenon.Unavailable, false))
	if code, safe := codeOf(err); n > 3 || took != 1200*time.Millisecond || code != tenon.Canceled || safe ||
		!errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "it failed") {
		t.Errorf("canceled in a pause: %d attempts in %v, %v", n, took, err)
	}
	ended := func() (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		return ctx, cancel
	}
	if n, _, err = attempt(t, ended, intercept.Retry(policy), &tenon.CallInfo{}, failure(tenon.Unavailable, true)); n != 1 || errors.Is(err, context.Canceled) {
		t.Errorf("canceled before: %d attempts, %v", n, err)
	}
}

// A message that is too large for the peer is so the next time too.
func TestRetryGivesUpWhatIsTooLarge(t *testing.T) {
	attempts := 0
	counted := func(ctx context.Context, _ *tenon.CallInfo, next func(context.Context) error) error {
		attempts++
		return next(ctx)
	}
	conn := connect(t, shop(echo, tenon.WithMaxMessage(1<<16)))
	_, err := lookUp.Call(t.Context(), tenon.Intercept(conn, intercept.Retry(intercept.Policy{}), counted), strings.Repeat("x", 1<<17))
	if attempts != 1 || !errors.Is(err, tenon.ErrTooLarge) || tenon.CodeOf(err) != tenon.ResourceExhausted {
		t.Errorf("%d attempts, %v", attempts, err)
	}
}
