package tenon_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/pool"
)

// publish is a one-way method.
var publish = tenon.Method[string, string]{Name: "test.News/Publish", Shape: "(s string) ()", Args: textCodec, Result: textCodec, OneWay: true}

func newsServer(read func(ctx context.Context, s string) error, opts ...tenon.Option) *tenon.Server {
	srv := tenon.NewServer(opts...)
	tenon.Handle(srv, &publish, func(ctx context.Context, s string) (string, error) { return "", read(ctx, s) })
	return srv
}

// What is published right before the end in order is handled, undisturbed.
func TestTheEndInOrderWaitsForOneWayCalls(t *testing.T) {
	for name, end := range map[string]func(ctx context.Context, c *tenon.Client) error{
		"Disconnect": func(ctx context.Context, c *tenon.Client) error { return c.Disconnect(ctx) },
		"Shutdown": func(ctx context.Context, c *tenon.Client) error {
			conn, err := c.Conn(ctx)
			return errors.Join(err, conn.Shutdown(ctx))
		},
	} {
		t.Run(name, func(t *testing.T) {
			overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
				const calls = 200
				var handled, disturbed atomic.Int64
				srv := newsServer(func(ctx context.Context, _ string) error {
					time.Sleep(time.Millisecond)
					if ctx.Err() != nil {
						disturbed.Add(1)
					}
					handled.Add(1)
					return nil
				})
				a, b := pair()
				served := make(chan error, 1)
				go func() { served <- srv.ServeLink(context.Background(), b) }()
				client := tenon.NewClientOver(a, nil)
				for range calls {
					if _, err := publish.Call(t.Context(), client, "news"); err != nil {
						t.Error(err)
					}
				}
				if err := end(t.Context(), client); err != nil {
					t.Error(err)
				}
				if handled.Load() != calls || disturbed.Load() > 0 {
					t.Errorf("%d of %d calls were handled, %d disturbed", handled.Load(), calls, disturbed.Load())
				}
				client.Close()
				<-served
			})
		})
	}
}

func TestShutdownWaitsForOneWayCallsOnlyAsLongAsItsContext(t *testing.T) {
	srv := newsServer(func(ctx context.Context, _ string) error {
		<-ctx.Done()
		return ctx.Err()
	})
	conn := serve(t, srv)
	if _, err := publish.Call(t.Context(), conn, "news"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := conn.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// The limit of calls holds a caller up who is faster than the handlers.
func TestSlowHandlersHoldOneWayCallersUp(t *testing.T) {
	release := make(chan struct{})
	var started atomic.Int64
	srv := newsServer(func(ctx context.Context, _ string) error {
		started.Add(1)
		<-release
		return nil
	}, tenon.WithMaxCalls(8))
	conn := serve(t, srv)
	for range 8 {
		if _, err := publish.Call(t.Context(), conn, "news"); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := publish.Call(ctx, conn, "more"); !errors.Is(err, context.DeadlineExceeded) || !tenon.SafeToRetry(err) {
		t.Error(err)
	}
	close(release)
	if _, err := publish.Call(t.Context(), conn, "more"); err != nil {
		t.Error(err)
	}
	eventually(t, "all are handled", func() bool { return started.Load() == 9 })
}

// Who waits at the limit reads the answers that it waits for: without a watch nobody else
// would.
func TestOneWayCallersAtTheLimitRead(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		srv := newsServer(func(context.Context, string) error { return nil }, tenon.WithMaxCalls(2))
		served := make(chan error, 1)
		go func() { served <- srv.ServeLink(context.Background(), b) }()
		conn := tenon.NewConn(t.Context(), a, nil)
		tenon.StopWatch(conn)
		within(t, "a call at the limit", func() {
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					for range 30 {
						if _, err := publish.Call(t.Context(), conn, "news"); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
		})
		conn.Close()
		<-served
	})
}

// Who waits for a place in a pool does not read. The base reader does, although callers
// read the rest, and nobody has to wait for the watch.
func TestOneWayCallersAtTheLimitOfAPoolNeedNoWatch(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		srv := newsServer(func(context.Context, string) error { return nil })
		new(calc).register(srv)
		served := make(chan error, 1)
		go func() { served <- srv.ServeLink(context.Background(), b) }()
		p, err := pool.New(t.Context(), 1, func(context.Context) (pool.Member, error) {
			conn := tenon.NewConn(context.Background(), a, nil)
			tenon.StopWatch(conn)
			return conn, nil
		}, pool.Concurrency(2))
		if err != nil {
			t.Fatal(err)
		}
		within(t, "a call at the limit", func() {
			for range 20 {
				for range 3 { // so that the reading is left to callers
					if _, err := add.Call(t.Context(), p, addArgs(1, 2)); err != nil {
						t.Error(err)
					}
				}
				for range 5 {
					if _, err := publish.Call(t.Context(), p, "news"); err != nil {
						t.Error(err)
					}
				}
			}
		})
		p.Close()
		<-served
	})
}

func TestMemoryStaysFlatUnderOneWayCalls(t *testing.T) {
	const calls = 30_000 // a million is as flat
	var handled atomic.Int64
	srv := newsServer(func(context.Context, string) error {
		if n := handled.Add(1); n%100 == 0 {
			time.Sleep(time.Millisecond) // slower than the caller
		}
		return nil
	}, tenon.WithMaxCalls(64))
	conn := serve(t, srv)
	memory := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	news := string(make([]byte, 1000))
	before := memory()
	for i := range calls {
		if _, err := publish.Call(t.Context(), conn, news); err != nil {
			t.Fatal(err)
		}
		if i%(calls/10) == 0 {
			if now := memory(); now > before+32<<20 {
				t.Fatalf("%d MiB more after %d calls, of which %d were handled", (now-before)>>20, i, handled.Load())
			}
		}
	}
	if err := conn.Shutdown(t.Context()); err != nil || handled.Load() != int64(calls) {
		t.Errorf("%d of %d were handled, %v", handled.Load(), calls, err)
	}
}

// A caller knows no more than that it published: its context does not travel, and
// what goes wrong later is not his.
func TestAOneWayCallIsDoneWhenItIsPublished(t *testing.T) {
	var mu sync.Mutex
	var seen, hook []error
	goOn := make(chan struct{})
	results := make(chan error, 3)
	srv := newsServer(func(ctx context.Context, s string) error {
		<-goOn
		if _, ok := ctx.Deadline(); ok || ctx.Err() != nil {
			results <- errors.New("the caller's context has travelled")
			return nil
		}
		results <- nil
		if s == "panic" {
			panic(s)
		}
		return errors.New(s)
	}, tenon.WithErrorHook(func(_ context.Context, _ *tenon.CallInfo, err error) error {
		mu.Lock()
		defer mu.Unlock()
		hook = append(hook, err)
		return nil
	}), tenon.WithLogger(quiet))
	conn := serve(t, srv, tenon.WithCallInterceptor(func(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) error {
		err := next(ctx)
		seen = append(seen, err)
		return err
	}))
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	for _, s := range []string{"error", "panic"} {
		if _, err := publish.Call(ctx, conn, s); err != nil {
			t.Error(err)
		}
	}
	cancel()
	close(goOn)
	for range 2 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	eventually(t, "the hook has seen both", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(hook) == 2
	})
	missing := tenon.Method[string, string]{Name: "test.News/Missing", Shape: "() ()", Args: textCodec, Result: textCodec, OneWay: true}
	_, _ = missing.Call(t.Context(), conn, "") // a generated client drops the error
	if len(seen) != 3 || seen[0] != nil || seen[1] != nil || tenon.CodeOf(seen[2]) != tenon.Unimplemented {
		t.Errorf("the interceptor saw %v", seen)
	}
}
