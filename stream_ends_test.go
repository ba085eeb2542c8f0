package tenon_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
)

// How streams end: for whom, when, and with what.

// break ends the other side: the handler's loop over what it sends, when the
// caller's loop is left; and the caller's input, when the handler's is.
func TestBreakEndsTheOtherSide(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		left := make(chan error, 1)
		a, b := pair()
		conn := handling(t, a, b, func(srv *tenon.Server) {
			readers(srv)
			tenon.Handle(srv, &count, func(ctx context.Context, n int) (int, error) {
				err := tenon.Output(ctx, 1, &intItem, func(yield func(int, error) bool) {
					for yield(1, nil) {
						time.Sleep(100 * time.Microsecond)
					}
				})
				<-ctx.Done()
				left <- errors.Join(err, ctx.Err())
				return 0, err
			})
		})
		for range tenon.Stream(t.Context(), &count, conn, 0, &intItem) {
			break
		}
		within(t, "the handler", func() {
			if err := <-left; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		stopped := false
		got, err := sum.Call(t.Context(), conn, 10, tenon.InputPort(&intItem, func(yield func(int, error) bool) {
			for yield(1, nil) {
				time.Sleep(100 * time.Microsecond)
			}
			stopped = true
		}))
		if err != nil || got != 10 || !stopped {
			t.Errorf("%d, %v, stopped %v", got, err, stopped)
		}
	})
}

// What a handler's stream has yielded arrives, also if it panics then.
func TestItemsBeforeAPanicArrive(t *testing.T) {
	a, b := inproc.Pair()
	conn := handling(t, a, b, func(srv *tenon.Server) {
		tenon.Handle(srv, &count, func(ctx context.Context, n int) (int, error) {
			return 0, tenon.Output(ctx, 1, &intItem, func(yield func(int, error) bool) {
				upTo(n)(yield)
				panic("on purpose")
			})
		})
	})
	for range 20 {
		items := 0
		for _, err := range tenon.Stream(t.Context(), &count, conn, 50, &intItem) {
			if err == nil {
				items++
			} else if tenon.CodeOf(err) != tenon.Panicked {
				t.Error(err)
			}
		}
		if items != 50 {
			t.Fatalf("%d items", items)
		}
	}
}

// What came before the end is there for a loop that begins after it.
func TestLoopThatBeginsLateGetsWhatCame(t *testing.T) {
	a, b := inproc.Pair()
	conn := handling(t, a, b, func(srv *tenon.Server) {
		tenon.Handle(srv, &both, func(ctx context.Context, n int) (int, error) {
			for port := 2; port <= 3; port++ {
				if err := tenon.Output(ctx, port, &intItem, upTo(n)); err != nil {
					return 0, err
				}
			}
			return 0, errors.New("boom")
		})
	})
	r := tenon.Streams(t.Context(), &both, conn, 5, tenon.InputPort(&intItem, nil))
	for port := 2; port <= 3; port++ {
		items := 0
		for _, err := range tenon.StreamOf(r, port, &intItem) {
			if err == nil {
				items++
			} else if !strings.HasSuffix(err.Error(), "boom") {
				t.Error(err)
			}
		}
		if items != 5 {
			t.Errorf("port %d: %d items", port, items)
		}
	}
}

func TestResultsThatEndInOrderDoNotCancelTheHandler(t *testing.T) {
	a, b := inproc.Pair()
	conn := handling(t, a, b, func(srv *tenon.Server) {
		tenon.Handle(srv, &both, func(ctx context.Context, n int) (int, error) {
			err := tenon.Outputs(ctx, tenon.OutputPort(2, &intItem, upTo(n)), tenon.OutputPort(3, &intItem, upTo(n)))
			if err != nil {
				return 0, err
			}
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Millisecond):
			}
			return 0, fmt.Errorf("afterwards: %v", ctx.Err())
		})
	})
	r := tenon.Streams(t.Context(), &both, conn, 5, tenon.InputPort(&intItem, nil))
	var failures []error
	for port := 2; port <= 3; port++ {
		for _, err := range tenon.StreamOf(r, port, &intItem) {
			if err != nil {
				failures = append(failures, err)
			}
		}
	}
	if len(failures) != 1 || failures[0].Error() != "flow.Flow/Both: afterwards: <nil>" {
		t.Errorf("%v", failures)
	}
}

// Streams that nobody has any more do not hold their call: one was left and the other
// never begun.
func TestResultsThatNobodyHasEndTheirCall(t *testing.T) {
	a, b := inproc.Pair()
	var ended atomic.Int64
	conn := handling(t, a, b, func(srv *tenon.Server) {
		tenon.Handle(srv, &both, func(ctx context.Context, n int) (int, error) {
			defer ended.Add(1)
			return 0, tenon.Outputs(ctx, tenon.OutputPort(2, &intItem, upTo(n)), tenon.OutputPort(3, &intItem, upTo(n)))
		})
	})
	const calls = 5
	for range calls {
		r := tenon.Streams(t.Context(), &both, conn, 1<<40, tenon.InputPort(&intItem, nil))
		for _, err := range tenon.StreamOf(r, 2, &intItem) {
			if err != nil {
				t.Fatal(err)
			}
			runtime.GC() // whoever loops has it
			break
		}
	}
	eventually(t, "the handlers have ended", func() bool {
		runtime.GC()
		return ended.Load() == calls
	})
}

// A handler that leaves the loop over its input ends the input at once, not only
// with its answer.
func TestHandlerThatTakesNoMoreEndsTheInput(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		stopped := make(chan struct{})
		a, b := pair()
		conn := handling(t, a, b, func(srv *tenon.Server) {
			tenon.Handle(srv, &sum, func(ctx context.Context, n int) (int, error) {
				for range tenon.Input(ctx, 1, &intItem) {
					break
				}
				<-stopped
				return 1, nil
			})
		})
		within(t, "the call", func() {
			got, err := sum.Call(t.Context(), conn, 0, tenon.InputPort(&intItem, func(yield func(int, error) bool) {
				for yield(1, nil) {
				}
				close(stopped)
			}))
			if got != 1 || err != nil {
				t.Error(got, err)
			}
		})
	})
}

// A cancel reaches the handler, and gives back what the call occupies, also while the
// caller does something else: in the body of a loop, between two pulls, in an input.
func TestCancelReachesTheHandlerOfABusyCaller(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		ended := make(chan error, 1)
		a, b := pair()
		conn := handling(t, a, b, func(srv *tenon.Server) {
			tenon.Handle(srv, &count, func(ctx context.Context, n int) (int, error) {
				err := tenon.Output(ctx, 1, &intItem, upTo(n))
				<-ctx.Done()
				ended <- ctx.Err()
				return 0, err
			})
			tenon.Handle(srv, &sum, func(ctx context.Context, n int) (int, error) {
				<-ctx.Done()
				ended <- ctx.Err()
				return 0, ctx.Err()
			})
		}, tenon.WithMaxCalls(1))
		// busy is what the caller does meanwhile.
		busy := func() {
			within(t, "the handler", func() {
				if err := <-ended; err != context.Canceled {
					t.Error(err)
				}
			})
			within(t, "another call's place", func() {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Millisecond, cancel)
				if _, err := sum.Call(ctx, conn, 0, tenon.InputPort(&intItem, nil)); !errors.Is(err, context.Canceled) || tenon.SafeToRetry(err) {
					t.Error(err)
				}
				<-ended
			})
		}
		// The stream is over or goes on; all of its items have come, or more would.
		for _, n := range []int{3, 1 << 40} {
			ctx, cancel := context.WithCancel(t.Context())
			items := 0
			var failure error
			for _, err := range tenon.Stream(ctx, &count, conn, n, &intItem) {
				if failure = err; err == nil {
					if items++; items == 3 {
						cancel()
						busy()
					}
				}
			}
			if items != 3 || !errors.Is(failure, context.Canceled) {
				t.Errorf("%d items, then %v", items, failure)
			}

			ctx, cancel = context.WithCancel(t.Context())
			next, stop := iter.Pull2(tenon.Stream(ctx, &count, conn, n, &intItem))
			if _, err, ok := next(); err != nil || !ok {
				t.Fatal(err, ok)
			}
			cancel()
			busy()
			if _, err, ok := next(); !errors.Is(err, context.Canceled) || !ok {
				t.Error(err, ok)
			}
			stop()
		}

		ctx, cancel := context.WithCancel(t.Context())
		_, err := sum.Call(ctx, conn, 0, tenon.InputPort(&intItem, func(yield func(int, error) bool) {
			if yield(1, nil) {
				cancel()
				busy()
			}
		}))
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// An input that is ranged over when the handler has returned ends with an error, unless
// all of it was there.
func TestInputOfAHandlerThatHasReturnedIsNotCutInOrder(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		type outcome struct {
			items int
			err   error
		}
		late := make(chan outcome, 1)
		var sent chan bool
		a, b := pair()
		conn := handling(t, a, b, func(srv *tenon.Server) {
			tenon.Handle(srv, &sum, func(ctx context.Context, n int) (int, error) {
				enough := make(chan bool)
				go func() {
					var o outcome
					for _, err := range tenon.Input(ctx, 1, &intItem) {
						if o.err = err; err != nil {
							break
						}
						if o.items++; o.items == n {
							close(enough)
							<-ctx.Done()
							time.Sleep(2 * time.Millisecond) // the streams end a moment later
						}
					}
					late <- o
				}()
				<-enough
				<-sent
				time.Sleep(2 * time.Millisecond) // its end is here a moment later
				return 0, nil
			})
		})
		for _, n := range []int{1, 500} {
			const all = 6000 // within the credit: they come although nobody takes them
			sent = make(chan bool)
			if _, err := sum.Call(t.Context(), conn, n, tenon.InputPort(&intItem, func(yield func(int, error) bool) {
				upTo(all)(yield)
				close(sent)
			})); err != nil {
				t.Fatal(err)
			}
			if o := <-late; o.err == nil && o.items < all {
				t.Errorf("%d of %d items, and no error", o.items, all)
			}
		}
	})
}

// A handler whose items end when its context does has not sent all of them, whether it
// says so or not.
func TestStreamThatItsDeadlineCutsOffEndsWithAnError(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		conn := handling(t, a, b, func(srv *tenon.Server) {
			quiet := func(ctx context.Context) iter.Seq2[int, error] {
				return func(yield func(int, error) bool) {
					yield(1, nil)
					<-ctx.Done()
				}
			}
			tenon.Handle(srv, &count, func(ctx context.Context, n int) (int, error) {
				return 0, tenon.Output(ctx, 1, &intItem, quiet(ctx))
			})
			tenon.Handle(srv, &both, func(ctx context.Context, n int) (int, error) {
				return 0, tenon.Outputs(ctx, tenon.OutputPort(2, &intItem, quiet(ctx)), tenon.OutputPort(3, &intItem, quiet(ctx)))
			})
		})
		for range 20 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			var one, other error
			for _, one = range tenon.Stream(ctx, &count, conn, 0, &intItem) {
			}
			if !errors.Is(one, context.DeadlineExceeded) {
				t.Errorf("%v", one)
			}
			cancel()
			ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
			r := tenon.Streams(ctx, &both, conn, 0, tenon.InputPort(&intItem, nil))
			for _, one = range tenon.StreamOf(r, 2, &intItem) {
			}
			for _, other = range tenon.StreamOf(r, 3, &intItem) {
			}
			if !errors.Is(one, context.DeadlineExceeded) || !errors.Is(other, context.DeadlineExceeded) {
				t.Errorf("%v, %v", one, other)
			}
			cancel()
		}
	})
}
