package tenon_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/internal/leak"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func TestMain(m *testing.M) {
	if os.Getenv("TENON_TEST_SERVE") != "" {
		serveBenchmark()
	}
	os.Exit(leak.Main(m))
}

// overLinks runs a test over every kind of link that fits into one process.
func overLinks(t *testing.T, test func(t *testing.T, pair func() (a, b tenon.Link))) {
	for name, pair := range links(t) {
		t.Run(name, func(t *testing.T) { test(t, pair) })
	}
}

func TestCall(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		conn := connect(t, &calc{}, a, b)
		for i := range int64(100) {
			sum, err := add.Call(t.Context(), conn, addArgs(i, 2*i))
			if err != nil || sum != 3*i {
				t.Fatalf("add(%d, %d) = %d, %v", i, 2*i, sum, err)
			}
		}
	})
}

func TestCallsOfAllSizes(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		conn := connect(t, &calc{}, a, b)
		random := rand.New(rand.NewPCG(1, 2))
		for _, size := range []int{0, 1, 63, 64, 65, 2000, 2048, 2049, 4096, 16383, 16384, 16385, 32700, 32768, 65500, 65536, 70000, 1 << 20, 5<<20/tenon.Scale + 7} {
			p := randomBytes(random, size)
			got, err := echo.Call(t.Context(), conn, p)
			if err != nil || !bytes.Equal(got, p) {
				t.Fatalf("echo of %d bytes: %d bytes, %v", size, len(got), err)
			}
		}
	})
}

func TestManyCallersMixed(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		conn := connect(t, &calc{}, a, b)
		var callers sync.WaitGroup
		for g := range 32 / min(tenon.Scale, 2) {
			callers.Go(func() {
				random := rand.New(rand.NewPCG(uint64(g), 7))
				for range 60 / tenon.Scale {
					switch random.IntN(8) {
					case 0:
						p := randomBytes(random, random.IntN(300<<10))
						got, err := echo.Call(t.Context(), conn, p)
						if err != nil || !bytes.Equal(got, p) {
							t.Errorf("echo: %d of %d bytes, %v", len(got), len(p), err)
						}
					case 1:
						ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(300))*time.Microsecond)
						if _, err := block.Call(ctx, conn, ""); !errors.Is(err, context.DeadlineExceeded) {
							t.Errorf("block: %v", err)
						}
						cancel()
					case 2:
						if got, err := ask.Call(t.Context(), conn, "x"); err != nil || got != "back:x?!" {
							t.Errorf("ask: %q, %v", got, err)
						}
					default:
						x := random.Int64()
						if sum, err := add.Call(t.Context(), conn, addArgs(x, 1)); err != nil || sum != x+1 {
							t.Errorf("add: %d, %v", sum, err)
						}
					}
				}
			})
		}
		callers.Wait()
	})
}

func TestErrorsOfHandlers(t *testing.T) {
	a, b := inproc.Pair()
	conn := connect(t, &calc{}, a, b, tenon.WithPeerName("worker w (pid 1)"))
	for how, want := range map[string]struct {
		code tenon.Code
		text string
	}{
		"disk full": {tenon.Unknown, "disk full"},
		"panic":     {tenon.Panicked, "the handler panicked: on purpose"},
		"nil":       {tenon.Panicked, "nil pointer dereference"},
		"goexit":    {tenon.Panicked, "runtime.Goexit"},
		"coded":     {tenon.PermissionDenied, "not you"},
	} {
		_, err := fail.Call(t.Context(), conn, how)
		var e *tenon.Error
		if !errors.As(err, &e) || e.Code != want.code || !strings.Contains(err.Error(), want.text) {
			t.Errorf("%s: %v", how, err)
			continue
		}
		for _, part := range []string{"test.Calc/Fail", "worker w (pid 1)"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q does not name %q", how, err, part)
			}
		}
		if e.SafeToRetry {
			t.Errorf("%s: said to be safe to retry though the handler ran", how)
		}
		if sum, err := add.Call(t.Context(), conn, addArgs(1, 2)); err != nil || sum != 3 {
			t.Fatalf("after %s: %d, %v", how, sum, err)
		}
	}
}

func TestErrorOfOneMegabyteReport38(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		conn := connect(t, &calc{}, a, b)
		long := strings.Repeat("long story ", 100_000)
		_, err := fail.Call(t.Context(), conn, long)
		var e *tenon.Error
		if !errors.As(err, &e) || e.Message != long {
			t.Fatalf("the message of %d bytes did not arrive whole", len(long))
		}
		if _, err := add.Call(t.Context(), conn, addArgs(1, 2)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestDeadlineAndCancelReachTheHandler(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		k := &calc{}
		conn := connect(t, k, a, b)

		for k.started.Load() == 0 { // a slow machine may not come so far in time
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
			if _, err := block.Call(ctx, conn, ""); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("at the deadline: %v", err)
			}
			cancel()
		}
		before := k.started.Load()

		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error, 1)
		go func() {
			_, err := block.Call(ctx, conn, "")
			result <- err
		}()
		eventually(t, "the handler runs", func() bool { return k.started.Load() > before })
		cancel()
		if err := <-result; !errors.Is(err, context.Canceled) {
			t.Fatalf("after cancel: %v", err)
		}
		eventually(t, "all handlers were canceled", func() bool { return k.canceled.Load() == k.started.Load() })
		if _, err := add.Call(t.Context(), conn, addArgs(1, 1)); err != nil {
			t.Fatalf("the connection did not survive: %v", err)
		}
	})
}

func TestUnknownMethodAndOtherShape(t *testing.T) {
	a, b := inproc.Pair()
	conn := connect(t, &calc{}, a, b)
	missing := tenon.Method[string, string]{Name: "test.Calc/Missing", Shape: "() ()", Args: textCodec, Result: textCodec}
	other := tenon.Method[string, string]{Name: "test.Calc/Fail", Shape: "(how int) (string)", Args: textCodec, Result: textCodec}
	for m, code := range map[*tenon.Method[string, string]]tenon.Code{&missing: tenon.Unimplemented, &other: tenon.Mismatch} {
		for range 2 {
			_, err := m.Call(t.Context(), conn, "x")
			var e *tenon.Error
			if !errors.As(err, &e) || e.Code != code || !tenon.SafeToRetry(err) {
				t.Errorf("%s: %v", m.Name, err)
			}
		}
	}
}

func TestMessageAboveTheLimitIsNamedBeforeItIsSentReport37(t *testing.T) {
	a, b := inproc.Pair()
	conn := connect(t, &calc{}, a, b, tenon.WithMaxMessage(1<<20))
	var e *tenon.Error
	small := connect2(t, tenon.WithMaxMessage(2000))
	if _, err := echo.Call(t.Context(), small, make([]byte, 3000)); !errors.As(err, &e) || e.Code != tenon.ResourceExhausted || !e.SafeToRetry {
		t.Fatalf("within one frame: %v", err)
	}
	_, err := echo.Call(t.Context(), conn, make([]byte, 2<<20))
	if !errors.As(err, &e) || e.Code != tenon.ResourceExhausted || !e.SafeToRetry || !strings.Contains(err.Error(), "1048576") {
		t.Fatalf("%v", err)
	}
	if _, err := add.Call(t.Context(), conn, addArgs(1, 2)); err != nil {
		t.Fatal(err)
	}
}

func connect2(t *testing.T, opts ...tenon.Option) *tenon.Conn {
	a, b := inproc.Pair()
	return connect(t, &calc{}, a, b, opts...)
}

func TestCallersWaitAtThePeersLimit(t *testing.T) {
	a, b := inproc.Pair()
	k := &calc{}
	conn := connect(t, k, a, b, tenon.WithMaxCalls(2))
	ctx, cancel := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	for range 2 {
		callers.Go(func() { block.Call(ctx, conn, "") })
	}
	eventually(t, "two handlers run", func() bool { return k.started.Load() == 2 })
	short, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, err := add.Call(short, conn, addArgs(1, 2)); !errors.Is(err, context.DeadlineExceeded) || !tenon.SafeToRetry(err) {
		t.Errorf("the third call: %v", err)
	}
	cancel()
	callers.Wait()
	if _, err := add.Call(t.Context(), conn, addArgs(1, 2)); err != nil {
		t.Errorf("when there is room again: %v", err)
	}
}

func TestEndOfTheOtherSideSettlesEveryCallReport33(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		k := &calc{}
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- k.server().ServeLink(ctx, b) }()
		reason := errors.New("worker w was killed")
		conn := tenon.NewConn(t.Context(), a, nil, tenon.WithCause(func(error) error { return reason }))
		defer conn.Close()

		var callers sync.WaitGroup
		for range 20 {
			callers.Go(func() {
				_, err := block.Call(t.Context(), conn, "")
				var e *tenon.Error
				if !errors.As(err, &e) || e.Code != tenon.Unavailable || e.SafeToRetry || !errors.Is(err, reason) {
					t.Errorf("open call: %v", err)
				}
			})
		}
		eventually(t, "the handlers run", func() bool { return k.started.Load() == 20 })
		cancel()
		callers.Wait()
		if err := <-served; !errors.Is(err, context.Canceled) {
			t.Errorf("ServeLink: %v", err)
		}
		eventually(t, "the handlers' contexts ended", func() bool { return k.finished.Load() == 20 })
		if _, err := add.Call(t.Context(), conn, addArgs(1, 2)); !tenon.SafeToRetry(err) || !errors.Is(err, reason) {
			t.Errorf("later call: %v", err)
		}
		<-conn.Done()
		if conn.Err() != reason {
			t.Errorf("Err: %v", conn.Err())
		}
	})
}

func TestCloseFailsOpenCalls(t *testing.T) {
	a, b := inproc.Pair()
	k := &calc{}
	conn := connect(t, k, a, b)
	result := make(chan error, 1)
	go func() {
		_, err := block.Call(t.Context(), conn, "")
		result <- err
	}()
	eventually(t, "the handler runs", func() bool { return k.started.Load() == 1 })
	conn.Close()
	if err := <-result; !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	if err := conn.Err(); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

func TestCauseOfTheContextIsInTheErrorsOfOpenCalls(t *testing.T) {
	a, b := inproc.Pair()
	srv := tenon.NewServer()
	started := make(chan struct{})
	tenon.Handle(srv, &echo, func(ctx context.Context, p []byte) ([]byte, error) {
		close(started)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	go srv.ServeLink(context.Background(), b)
	ctx, cancel := context.WithCancelCause(context.Background())
	conn := tenon.NewConn(ctx, a, nil)
	result := make(chan error, 1)
	go func() {
		_, err := echo.Call(context.Background(), conn, nil)
		result <- err
	}()
	<-started
	moving := errors.New("the house moves")
	cancel(moving)
	if err := <-result; !errors.Is(err, moving) || !errors.Is(err, net.ErrClosed) || !strings.Contains(err.Error(), moving.Error()) {
		t.Errorf("%v", err)
	}
	<-conn.Done()
	if err := conn.Err(); !errors.Is(err, moving) {
		t.Errorf("%v", err)
	}
}

func TestGarbageEndsTheConnectionWithAClearError(t *testing.T) {
	a, b := inproc.Pair()
	conn := tenon.NewConn(t.Context(), a, nil)
	defer conn.Close()
	if err := b.Send([]byte("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	_, err := add.Call(t.Context(), conn, addArgs(1, 2))
	if err == nil || !strings.Contains(err.Error(), "does not speak tenon's protocol") {
		t.Fatal(err)
	}
	b.Close()
}

func TestSilentPeerDoesNotHoldACallBeyondItsDeadlineReport84(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair() // nobody reads b
		defer b.Close()
		conn := tenon.NewConn(t.Context(), a, nil)
		defer conn.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		_, err := add.Call(ctx, conn, addArgs(1, 2))
		if !errors.Is(err, context.DeadlineExceeded) || !tenon.SafeToRetry(err) {
			t.Fatal(err)
		}
	})
}

func TestHalfOfTheCallsCanceledReport34(t *testing.T) {
	a, b := inproc.Pair()
	conn := connect(t, &calc{}, a, b)
	var callers sync.WaitGroup
	for i := range int64(10_000) {
		callers.Go(func() {
			if i%2 == 0 {
				ctx, cancel := context.WithCancel(t.Context())
				go cancel()
				if _, err := block.Call(ctx, conn, ""); !errors.Is(err, context.Canceled) {
					t.Errorf("canceled: %v", err)
				}
				return
			}
			if sum, err := add.Call(t.Context(), conn, addArgs(i, i)); err != nil || sum != 2*i {
				t.Errorf("other call: %d, %v", sum, err)
			}
		})
	}
	callers.Wait()
}

// plain hides that a link is a DirectLink.
type plain struct{ tenon.Link }

func addArgs(a, b int64) pair { return pair{a, b} }

func randomBytes(r *rand.Rand, n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return p
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(100 * time.Microsecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}
