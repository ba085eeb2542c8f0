package tenon_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
)

var (
	bytesOut = tenon.Method[int, int]{Name: "flow.Flow/BytesOut", Shape: "(n int) (stream bytes)", Args: intCodec, Result: intCodec, Ports: 1}
	bytesIn  = tenon.Method[int, int]{Name: "flow.Flow/BytesIn", Shape: "(n int, in stream bytes) (int)", Args: intCodec, Result: intCodec, Ports: 1}
)

// soaking says that tests run in their long forms.
var soaking = os.Getenv("TENON_SOAK") != ""

// long is a number for tests in their long forms, and another one for the others.
func long(soak, brief int) int {
	if soaking {
		return soak
	}
	return brief
}

// repeat is a piece n times.
func repeat(piece []byte, n int) func(yield func([]byte, error) bool) {
	return func(yield func([]byte, error) bool) {
		for range n {
			if !yield(piece, nil) {
				return
			}
		}
	}
}

// heap is the memory in use once garbage is collected.
func heap() int64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// A stream that nobody reads holds its credit and no more, and small calls beside
// it are as quick as without it.
func TestUnreadStreamHoldsNobodyUpReport30(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		const size, window = 4 << 10, 64 << 10
		var yielded atomic.Int64
		a, b := pair()
		conn := handling(t, a, b, func(srv *tenon.Server) {
			(&calc{}).register(srv)
			tenon.Handle(srv, &bytesOut, func(ctx context.Context, n int) (int, error) {
				return 0, tenon.Output(ctx, 1, &bytesItem, func(yield func([]byte, error) bool) {
					piece := make([]byte, size)
					for range n {
						yielded.Add(1)
						if !yield(piece, nil) {
							return
						}
					}
				})
			})
		}, tenon.WithStreamWindow(window, 1000))
		calls := func() (median, p99 time.Duration) {
			took := make([]time.Duration, 1000)
			for i := range took {
				began := time.Now()
				mayCall(t, conn)
				took[i] = time.Since(began)
			}
			slices.Sort(took)
			return took[len(took)/2], took[len(took)*99/100]
		}
		calls()
		idle, idle99 := calls()
		for _, err := range tenon.Stream(t.Context(), &bytesOut, conn, 1<<30, &bytesItem) {
			if err != nil {
				t.Fatal(err)
			}
			beside, beside99 := calls()
			// What was sent, what is kept for a frame, and what waits to be.
			if n, most := yielded.Load(), int64(window/size+2+3); n > most {
				t.Errorf("%d items are on their way, at most %d have credit", n, most)
			}
			t.Logf("median %.2f, p99 %.2f times that of an idle connection", float64(beside)/float64(idle), float64(beside99)/float64(idle99))
			if beside > 20*idle+time.Millisecond {
				t.Errorf("%v a call beside an unread stream, %v without", beside, idle)
			}
			break
		}
	})
}

// Streams that nobody reads to the end leave nothing, on neither side.
func TestAbandonedStreamsLeaveNothingReport35(t *testing.T) {
	a, b := inproc.Pair()
	var started, ended atomic.Int64
	conn := handling(t, a, b, func(srv *tenon.Server) {
		endless := func(yield func(int, error) bool) {
			for yield(1, nil) {
			}
		}
		track := func(ctx context.Context, f func() error) (int, error) {
			started.Add(1)
			defer ended.Add(1)
			return 0, f()
		}
		tenon.Handle(srv, &count, func(ctx context.Context, n int) (int, error) {
			return track(ctx, func() error { return tenon.Output(ctx, 1, &intItem, endless) })
		})
		tenon.Handle(srv, &both, func(ctx context.Context, n int) (int, error) {
			return track(ctx, func() error {
				return tenon.Outputs(ctx, tenon.OutputPort(2, &intItem, endless), tenon.OutputPort(3, &intItem, endless))
			})
		})
		tenon.Handle(srv, &sum, func(ctx context.Context, n int) (int, error) {
			return track(ctx, func() error {
				for _, err := range tenon.Input(ctx, 1, &intItem) {
					if err != nil {
						return err
					}
				}
				return nil
			})
		})
	}, tenon.WithStreamWindow(1000, 100))
	abandon := func(n int) {
		var callers sync.WaitGroup
		for g := range 50 {
			callers.Go(func() {
				for i := range n / 50 {
					ctx, cancel := context.WithCancel(t.Context())
					switch (g + i) % 5 {
					case 0:
						tenon.Stream(ctx, &count, conn, 0, &intItem) // never ranged over
						tenon.Streams(ctx, &both, conn, 0, tenon.InputPort(&intItem, upTo(5)))
					case 1: // one of two, and the other one never
						r := tenon.Streams(ctx, &both, conn, 0, tenon.InputPort(&intItem, upTo(5)))
						for range tenon.StreamOf(r, 2, &intItem) {
							break
						}
					case 2:
						sum.Call(ctx, conn, 0, tenon.InputPort(&intItem, func(yield func(int, error) bool) {
							yield(1, nil)
							cancel()
							for yield(1, nil) {
							}
						}))
					default:
						for range tenon.Stream(ctx, &count, conn, 0, &intItem) {
							break
						}
					}
					cancel()
				}
			})
		}
		callers.Wait()
		eventually(t, "every handler was canceled", func() bool { return ended.Load() == started.Load() })
	}
	abandon(1000)
	goroutines, before := runtime.NumGoroutine(), heap()
	abandon(10_000)
	eventually(t, "there are no more goroutines than before", func() bool { return runtime.NumGoroutine() <= goroutines+10 })
	if grown := heap() - before; grown > 2<<20 {
		t.Errorf("%d KiB are left of 10,000 streams", grown>>10)
	}
	t.Logf("%d handlers", started.Load())
}

// A producer is held up by a consumer that sleeps, and what lies between them is
// bounded: in both directions.
func TestProducerWaitsForASleepingConsumerReport65(t *testing.T) {
	const size = 1 << 10
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		wake := make(chan struct{})
		a, b := pair()
		conn := handling(t, a, b, func(srv *tenon.Server) {
			tenon.Handle(srv, &bytesIn, func(ctx context.Context, n int) (int, error) {
				got := 0
				for _, err := range tenon.Input(ctx, 1, &bytesItem) {
					if err != nil {
						return got, err
					}
					if got++; got == 1 {
						<-wake
					}
				}
				return got, nil
			})
			tenon.Handle(srv, &bytesOut, func(ctx context.Context, n int) (int, error) {
				return 0, tenon.Output(ctx, 1, &bytesItem, repeat(make([]byte, size), n))
			})
		})
		items := 20_000 / tenon.Scale
		var produced atomic.Int64
		before := heap()
		result := make(chan int, 1)
		go func() {
			n, err := bytesIn.Call(t.Context(), conn, 0, tenon.InputPort(&bytesItem, func(yield func([]byte, error) bool) {
				for range items {
					produced.Add(1)
					if !yield(make([]byte, size), nil) {
						return
					}
				}
			}))
			if err != nil {
				t.Error(err)
			}
			result <- n
		}()
		still := func() (n int64) {
			for {
				n = produced.Load()
				time.Sleep(20 * time.Millisecond)
				if n > 10 && n == produced.Load() {
					return n
				}
			}
		}
		n := still()
		if n*size > 256<<10 {
			t.Errorf("%d KiB were produced for one who sleeps", n*size>>10)
		}
		if grown := heap() - before; grown > 2<<20 {
			t.Errorf("%d KiB lie between the two", grown>>10)
		}
		close(wake)
		if got := <-result; got != items {
			t.Errorf("%d items of %d", got, items)
		}
		got := 0
		for _, err := range tenon.Stream(t.Context(), &bytesOut, conn, items, &bytesItem) {
			if err != nil {
				t.Fatal(err)
			}
			if got++; got == 1 {
				time.Sleep(20 * time.Millisecond)
				if grown := heap() - before; grown > 2<<20 {
					t.Errorf("%d KiB lie between the two", grown>>10)
				}
			}
		}
		if got != items {
			t.Errorf("%d items of %d", got, items)
		}
	})
}

// Items and an answer that come when the caller has given up free what the call
// had, on both sides.
func TestLateItemsAndAnswersFreeEverythingReport85(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		var running atomic.Int64
		gate := make(chan struct{})
		a, b := pair()
		conn := handling(t, a, b, func(srv *tenon.Server) {
			(&calc{}).register(srv)
			tenon.Handle(srv, &count, func(ctx context.Context, n int) (int, error) {
				running.Add(1)
				defer running.Add(-1)
				deaf := context.WithoutCancel(ctx)
				if err := tenon.Output(deaf, 1, &intItem, upTo(n)); err != nil {
					return 0, err
				}
				<-gate
				tenon.ReportProgress(deaf, 1, 1, "late")
				return 0, tenon.Output(deaf, 1, &intItem, upTo(n))
			})
		}, tenon.WithMaxCalls(8))
		goroutines := 0 // after the first round
		for round := range 4 {
			var callers sync.WaitGroup
			for range 8 {
				callers.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
					defer cancel()
					var failure error
					for _, err := range tenon.Stream(ctx, &count, conn, 100, &intItem) {
						failure = err
					}
					if !errors.Is(failure, context.DeadlineExceeded) {
						t.Errorf("%v", failure)
					}
				})
			}
			callers.Wait()
			// The places of the eight are taken until their late answers come. A slow
			// machine may have refused some, which then never ran.
			full := running.Load() == 8
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
			if _, err := add.Call(ctx, conn, pair2()); full && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("round %d: the places are taken, and %v", round, err)
			}
			cancel()
			for running.Load() > 0 {
				select {
				case gate <- struct{}{}:
				case <-time.After(time.Millisecond):
				}
			}
			within(t, "calls afterwards", func() {
				for range 20 {
					mayCall(t, conn)
				}
			})
			if round == 0 {
				goroutines = runtime.NumGoroutine()
			}
			// Eight runners more may be kept for later calls, but not eight each round.
			eventually(t, "no more goroutines", func() bool { return runtime.NumGoroutine() <= goroutines+10 })
		}
	})
}

// The other side goes while streams run: each loop ends with an error, soon, which
// says who it was.
func TestLossInMidStreamEndsEveryLoop(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		served := make(chan struct{})
		ctx, cancel := context.WithCancel(context.Background())
		srv := talkServer(tenon.NewServer(tenon.WithLogger(quiet)))
		go func() {
			defer close(served)
			srv.ServeLink(ctx, b)
		}()
		reason := errors.New("worker w was killed")
		conn := tenon.NewConn(t.Context(), a, nil, tenon.WithPeerName("worker w"), tenon.WithCause(func(error) error { return reason }))
		defer conn.Close()
		streams := 20 / tenon.Scale
		ended := make(chan time.Time, 3*streams)
		var begun atomic.Int64
		endless := func(yield func(int, error) bool) {
			for i := 0; yield(i, nil); i++ {
				if i == 1 {
					begun.Add(1)
				}
			}
		}
		fails := func(err error) {
			ended <- time.Now()
			var e *tenon.Error
			if !errors.As(err, &e) || e.Code != tenon.Unavailable || e.Peer != "worker w" || !errors.Is(err, reason) || tenon.SafeToRetry(err) {
				t.Errorf("%v", err)
			}
		}
		for range streams {
			go func() {
				for v, err := range tenon.Stream(t.Context(), &outM, conn, plan(blocks, 2000), &intItem) {
					if err != nil {
						fails(err)
						return
					}
					if v == 1 {
						begun.Add(1)
					}
				}
				t.Error("a stream ended in order")
			}()
			go func() {
				_, err := inM.Call(t.Context(), conn, 0, tenon.InputPort(&intItem, endless))
				fails(err)
			}()
			go func() {
				r := tenon.Streams(t.Context(), &pairM, conn, plan(blocks, 100), tenon.InputPort(&intItem, endless))
				for _, err := range tenon.StreamOf(r, 3, &intItem) {
					if err != nil {
						fails(err)
						return
					}
				}
				t.Error("one of two ended in order")
			}()
		}
		eventually(t, "all have begun", func() bool { return begun.Load() == int64(3*streams) })
		time.Sleep(10 * time.Millisecond)
		cancel()
		cut := time.Now()
		var slowest time.Duration
		within(t, "the loops", func() {
			for range 3 * streams {
				slowest = max(slowest, (<-ended).Sub(cut))
			}
		})
		<-served
		if t.Logf("the slowest after %v", slowest); slowest > 2*time.Second {
			t.Errorf("the slowest loop ended after %v", slowest)
		}
	})
}
