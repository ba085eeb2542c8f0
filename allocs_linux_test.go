//go:build !race

package tenon_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/shm"
)

// TestAllocationsPerCall holds what a small call costs the heap: nothing on the
// caller's side, and on the other one the handler's context. The race detector
// allocates too, so it is not there.
func TestAllocationsPerCall(t *testing.T) {
	limited, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	a, b, err := shm.Pair()
	if err != nil {
		t.Fatal(err)
	}
	here, elsewhere := connect(t, &calc{}, a, b), servedElsewhere(t)
	for _, c := range []struct {
		name  string
		ctx   context.Context
		conn  *tenon.Conn
		bound float64
	}{
		{"caller", context.Background(), elsewhere, 0},
		{"caller, with a deadline", limited, elsewhere, 0},
		{"both sides", context.Background(), here, 1},
		{"both sides, with a deadline", limited, here, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := func() {
				if _, err := add.Call(c.ctx, c.conn, pair{1, 2}); err != nil {
					t.Fatal(err)
				}
			}
			call()
			if n := testing.AllocsPerRun(2000, call); n > c.bound {
				t.Errorf("%v allocations, at most %v", n, c.bound)
			}
		})
	}
}

// mallocs is how many allocations f makes, on all goroutines.
func mallocs(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs - before.Mallocs)
}

// TestAllocationsPerItem holds what the items of a stream cost the heap, on both
// sides together: nothing.
func TestAllocationsPerItem(t *testing.T) {
	const items = 1_000_000
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		conn := handling(t, a, b, func(srv *tenon.Server) {
			readers(srv)
			tenon.Handle(srv, &count, func(ctx context.Context, n int) (int, error) {
				return 0, tenon.Output(ctx, 1, &intItem, upTo(n))
			})
		})
		out := func(n int) {
			for _, err := range tenon.Stream(t.Context(), &count, conn, n, &intItem) {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		in := func(n int) {
			if _, err := sum.Call(t.Context(), conn, 0, tenon.InputPort(&intItem, upTo(n))); err != nil {
				t.Fatal(err)
			}
		}
		for name, stream := range map[string]func(int){"out": out, "in": in} {
			stream(1000)
			// Few per item: chunks of a queue that grows, timers of those who wait.
			each := mallocs(func() { stream(items) }) / items
			if t.Logf("%s: %.5f allocations an item", name, each); each > 0.05 {
				t.Errorf("%s: %.4f allocations an item, at most 0.05", name, each)
			}
		}
	})
}

// TestMemoryOfIdleStreams holds what open streams cost on which nothing moves.
func TestMemoryOfIdleStreams(t *testing.T) {
	const streams = 1000
	a, b, err := shm.Pair()
	if err != nil {
		t.Fatal(err)
	}
	conn := handling(t, a, b, func(srv *tenon.Server) {
		tenon.Handle(srv, &count, func(ctx context.Context, n int) (int, error) {
			return 0, tenon.Output(ctx, 1, &intItem, func(yield func(int, error) bool) {
				yield(1, nil)
				<-ctx.Done()
			})
		})
	})
	open := func(n int) (closeAll func()) {
		ctx, cancel := context.WithCancel(t.Context())
		var begun atomic.Int64
		var loops sync.WaitGroup
		for range n {
			loops.Go(func() {
				for _, err := range tenon.Stream(ctx, &count, conn, 0, &intItem) {
					if err == nil {
						begun.Add(1)
					}
				}
			})
		}
		eventually(t, "all have begun", func() bool { return begun.Load() == int64(n) })
		return func() {
			cancel()
			loops.Wait()
		}
	}
	open(streams)()
	eventually(t, "the handlers have ended", func() bool { return runtime.NumGoroutine() < 200 })
	goroutines, before := runtime.NumGoroutine(), heap()
	closeAll := open(streams)
	each := float64(heap()-before) / streams
	perStream := float64(runtime.NumGoroutine()-goroutines) / streams
	closeAll()
	// One goroutine is the test's, with its loop, the other one the handler's.
	if t.Logf("both sides of an idle stream: %.1f KiB, %.2f goroutines", each/1024, perStream); each > 40<<10 || perStream > 2.05 {
		t.Errorf("%.1f KiB and %.2f goroutines a stream, at most 40 KiB and 2", each/1024, perStream)
	}
}
