package intercept_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/intercept"
)

// A gate is a handler whose calls wait.
type gate struct {
	running, most atomic.Int64
	open          chan struct{}
}

func newGate() *gate { return &gate{open: make(chan struct{})} }

func (g *gate) handle(_ context.Context, what string) (string, error) {
	n := g.running.Add(1)
	defer g.running.Add(-1)
	for old := g.most.Load(); n > old && !g.most.CompareAndSwap(old, n); old = g.most.Load() {
	}
	<-g.open
	return what, nil
}

func TestLimitOnEitherSide(t *testing.T) {
	for name, option := range map[string]func(tenon.Interceptor) (server, client []tenon.Option){
		"serving": func(i tenon.Interceptor) (a, b []tenon.Option) {
			return []tenon.Option{tenon.WithHandlerInterceptor(i)}, nil
		},
		"calling": func(i tenon.Interceptor) (a, b []tenon.Option) {
			return nil, []tenon.Option{tenon.WithCallInterceptor(i)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGate()
			server, client := option(intercept.Limit(3))
			conn := connect(t, shop(g.handle, server...), client...)
			var all sync.WaitGroup
			for range 30 {
				all.Go(func() {
					if _, err := order.Call(t.Context(), conn, "tea"); err != nil {
						t.Error(err)
					}
				})
			}
			eventually(t, "the limit is reached", func() bool { return g.running.Load() == 3 })
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			_, err := lookUp.Call(ctx, conn, "tea")
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("one that does not want to wait: %v", err)
			}
			close(g.open)
			all.Wait()
			if n := g.most.Load(); n != 3 {
				t.Errorf("%d at once", n)
			}
		})
	}
}

func TestLimitPerMethodRejectsSafely(t *testing.T) {
	g := newGate()
	limit := intercept.Limit(1, intercept.PerMethod, intercept.Reject)
	conn := connect(t, shop(g.handle, tenon.WithHandlerInterceptor(limit)))
	var all sync.WaitGroup
	for n, m := range []*tenon.Method[string, string]{&order, &lookUp} {
		all.Go(func() {
			if _, err := m.Call(t.Context(), conn, "tea"); err != nil {
				t.Error(err)
			}
		})
		eventually(t, "it runs", func() bool { return g.running.Load() == int64(n+1) })
	}
	_, err := order.Call(t.Context(), conn, "tea")
	if code, safe := codeOf(err); code != tenon.ResourceExhausted || !safe || !strings.Contains(err.Error(), "shop.Shop/Order: the limit of 1 of this method's calls at once is reached") {
		t.Error(err)
	}
	retry := tenon.Intercept(conn, intercept.Retry(intercept.Policy{Attempts: 1000, Pause: time.Millisecond, MaxPause: time.Millisecond}))
	all.Go(func() {
		if _, err := order.Call(t.Context(), retry, "tea"); err != nil {
			t.Errorf("tried again until there is room: %v", err)
		}
	})
	close(g.open)
	all.Wait()
}

func TestLimitServesInOrderOfArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := intercept.Limit(1)
		info := &tenon.CallInfo{Method: order.Name}
		var (
			ran   []int
			all   sync.WaitGroup
			first = make(chan struct{})
		)
		all.Go(func() {
			_ = limit(t.Context(), info, func(context.Context) error { <-first; return nil })
		})
		for n := range 10 {
			synctest.Wait() // until the one before has its place in line
			all.Go(func() {
				_ = limit(t.Context(), info, func(context.Context) error { ran = append(ran, n); return nil })
			})
		}
		synctest.Wait()
		close(first)
		all.Wait()
		if fmt.Sprint(ran) != "[0 1 2 3 4 5 6 7 8 9]" {
			t.Error(ran)
		}
	})
}

func TestLimitGetsThePlaceOfAPanicBack(t *testing.T) {
	limit := intercept.Limit(1, intercept.Reject)
	info := &tenon.CallInfo{Method: order.Name}
	func() {
		defer func() { _ = recover() }()
		_ = limit(t.Context(), info, func(context.Context) error { panic("oh") })
	}()
	if err := limit(t.Context(), info, func(context.Context) error { return nil }); err != nil {
		t.Error(err)
	}
}
