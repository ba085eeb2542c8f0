package intercept_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/intercept"
	"github.com/tenon-go/tenon/pool"
)

var often = intercept.Retry(intercept.Policy{Attempts: 20, Pause: time.Millisecond, MaxPause: time.Millisecond})

// fragile returns a handler that ends its connection the first n times it runs.
func fragile(n int64, runs *atomic.Int64) handler {
	return func(ctx context.Context, what string) (string, error) {
		if runs.Add(1) <= n {
			tenon.ConnFrom(ctx).Close()
		}
		return what, nil
	}
}

func TestRetryAroundAPoolChoosesAnotherMember(t *testing.T) {
	var runs, inside atomic.Int64
	var seen []string
	count := func(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) error {
		inside.Add(1)
		return next(ctx)
	}
	p, err := pool.New(t.Context(), 3, func(context.Context) (pool.Member, error) {
		return pool.Local(shop(fragile(2, &runs), tenon.WithHandlerInterceptor(count))), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	note := func(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) error {
		before := info.Peer
		err := next(ctx)
		seen = append(seen, fmt.Sprintf("%q, then %q over %s", before, info.Peer, info.Conn.Kind()))
		return err
	}
	caller := tenon.Intercept(p, note, often)
	if got, err := lookUp.Call(t.Context(), caller, "tea"); err != nil || got != "tea" {
		t.Errorf("%q, %v", got, err)
	}
	if runs.Load() != 3 || inside.Load() != 3 || len(seen) != 1 || seen[0] != `"", then "local" over inproc` {
		t.Errorf("%d runs, %d inside, %q", runs.Load(), inside.Load(), seen)
	}
	runs.Store(0)
	if _, err := order.Call(t.Context(), caller, "tea"); err == nil || tenon.SafeToRetry(err) || runs.Load() != 1 {
		t.Errorf("an order that may have run: %v after %d runs", err, runs.Load())
	}
}

func TestRetryAroundAClientConnectsAgain(t *testing.T) {
	var runs, dials atomic.Int64
	var whole, single intercept.Counters
	srv := shop(fragile(2, &runs))
	defer srv.Close()
	client := tenon.NewClient(func(context.Context) (tenon.Link, error) {
		if dials.Add(1) == 1 {
			return nil, errors.New("not yet")
		}
		a, b := inproc.Pair()
		go srv.ServeLink(context.Background(), b)
		return a, nil
	}, nil, tenon.WithCallInterceptor(single.Intercept))
	defer client.Close()
	caller := tenon.Intercept(client, whole.Intercept, often)
	if got, err := lookUp.Call(t.Context(), caller, "tea"); err != nil || got != "tea" {
		t.Errorf("%q, %v", got, err)
	}
	a, b := whole.Snapshot()[lookUp.Name], single.Snapshot()[lookUp.Name]
	if a.Calls != 1 || len(a.Failed) != 0 || b.Calls != 3 || b.Failed[tenon.Unavailable] != 2 || dials.Load() != 4 {
		t.Errorf("%+v around %+v after %d dials", a.Failed, b.Failed, dials.Load())
	}
}
