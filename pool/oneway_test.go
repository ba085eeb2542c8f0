package pool_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/pool"
)

// A one-way call has its place until it was handled, so that exclusive members
// handle one at a time, and Close waits for all.
func TestOneWayCallsHaveTheirPlacesUntilTheyWereHandled(t *testing.T) {
	leak.Check(t)
	publish := tenon.Method[string, string]{
		Name: "test.Pool/Publish", Shape: "(s string) ()", Args: text, Result: text, OneWay: true,
	}
	f := new(flow)
	var handled, disturbed atomic.Int64
	srv := tenon.NewServer()
	tenon.Handle(srv, &publish, func(ctx context.Context, _ string) (string, error) {
		defer f.enter()()
		time.Sleep(time.Millisecond)
		if handled.Add(1); ctx.Err() != nil {
			disturbed.Add(1)
		}
		return "", nil
	})
	p := newPool(t, 2, func(context.Context) (pool.Member, error) { return pool.Local(srv), nil }, pool.Concurrency(1))
	for range 100 {
		if _, err := publish.Call(t.Context(), p, "news"); err != nil {
			t.Error(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if handled.Load() != 100 || disturbed.Load() != 0 || f.most.Load() > 2 {
		t.Errorf("%d of 100 handled, %d disturbed, %d at once", handled.Load(), disturbed.Load(), f.most.Load())
	}
}
