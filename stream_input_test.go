package tenon_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/codec"
)

// zip has two inputs and no stream among its results.
var zip = tenon.Method[int, int]{Name: "flow.Flow/Zip", Shape: "(n int, a stream int, b stream int) (int)", Args: intCodec, Result: intCodec, Ports: 2}

// readers are handlers that read all their inputs.
func readers(srv *tenon.Server) {
	serveBoth(srv)
	tenon.Handle(srv, &sum, func(ctx context.Context, n int) (int, error) {
		total := 0
		for v, err := range tenon.Input(ctx, 1, &intItem) {
			if err != nil {
				return 0, fmt.Errorf("the handler got: %w", err)
			}
			if total += v; n > 0 && total >= n {
				break
			}
		}
		return total, nil
	})
	tenon.Handle(srv, &double, func(ctx context.Context, n int) (int, error) {
		return 0, tenon.Output(ctx, 2, &intItem, tenon.Input(ctx, 1, &intItem))
	})
	tenon.Handle(srv, &hostile, func(ctx context.Context, n int) (int, error) {
		return 0, tenon.Output(ctx, 3, &intItem, upTo(1<<40)) // without its input
	})
	tenon.Handle(srv, &zip, func(ctx context.Context, n int) (int, error) {
		total := 0
		for port := 1; port <= 2; port++ {
			for v, err := range tenon.Input(ctx, port, &intItem) {
				if err != nil {
					return 0, fmt.Errorf("the handler got: %w", err)
				}
				total += v
			}
		}
		return total, nil
	})
}

func goroutine() string {
	b := make([]byte, 64)
	fields := strings.Fields(string(b[:runtime.Stack(b, false)]))
	return fields[1]
}

// Inputs use variables of the function that calls without locks: the first one of
// a call without a stream among its results runs on the caller's goroutine, and the
// others have ended when the call has. The race detector watches.
func TestInputsMayUseTheCallersVariables(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		conn := handling(t, a, b, readers)
		sent := 0
		where := ""
		counted := func(n int) func(yield func(int, error) bool) {
			return func(yield func(int, error) bool) {
				where = goroutine()
				for i := range n {
					if sent++; !yield(i, nil) {
						return
					}
				}
			}
		}
		for range 5 {
			sent = 0
			if got, err := sum.Call(t.Context(), conn, 0, tenon.InputPort(&intItem, counted(1000))); err != nil || sent != 1000 || got != 499_500 {
				t.Fatal(got, sent, err)
			}
			if where != goroutine() {
				t.Fatal("the input ran elsewhere")
			}
			sent = 0 // the handler has enough early
			if _, err := sum.Call(t.Context(), conn, 100, tenon.InputPort(&intItem, counted(1<<40))); err != nil || sent < 14 {
				t.Fatal(sent, err)
			}
			sent = 0 // the loop has
			for v := range tenon.Stream(t.Context(), &double, conn, 0, &intItem, tenon.InputPort(&intItem, counted(1<<40))) {
				if v == 10 {
					break
				}
			}
			if sent < 10 {
				t.Fatal(sent)
			}
			sent = 0 // the second input has a goroutine of its own
			other := 0
			_, err := zip.Call(t.Context(), conn, 0, tenon.InputPort(&intItem, counted(500)), tenon.InputPort(&intItem, func(yield func(int, error) bool) {
				for i := range 500 {
					if other++; !yield(i, nil) {
						return
					}
				}
			}))
			if err != nil || sent != 500 || other != 500 || where != goroutine() {
				t.Fatal(sent, other, err)
			}
			sent = 0
			ctx, cancel := context.WithCancel(t.Context())
			r := tenon.Streams(ctx, &both, conn, 0, tenon.InputPort(&intItem, counted(1<<40)))
			var loops sync.WaitGroup
			for port := 2; port <= 3; port++ {
				loops.Go(func() {
					for v := range tenon.StreamOf(r, port, &intItem) {
						if v == 10 {
							break
						}
					}
				})
			}
			loops.Wait()
			if sent < 10 {
				t.Fatal(sent)
			}
			cancel()
		}
	})
}

// A panic of an input is one of the caller, wherever the input ran, and the
// connection goes on; its runtime.Goexit ends the caller, or is an error.
func TestInputThatPanics(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		conn := handling(t, a, b, func(srv *tenon.Server) {
			readers(srv)
			(&calc{}).register(srv)
		})
		bad := func(how func()) tenon.Port {
			return tenon.InputPort(&intItem, func(yield func(int, error) bool) {
				if yield(1, nil) && yield(2, nil) {
					how()
				}
			})
		}
		badItem := func(how func()) tenon.Port {
			item := intItem
			item.Append = func(b []byte, e *codec.Encoder, v *int) []byte {
				if *v == 3 {
					how()
				}
				return intItem.Append(b, e, v)
			}
			return tenon.InputPort(&item, upTo(5))
		}
		waits := tenon.InputPort(&intItem, func(yield func(int, error) bool) {
			for yield(1, nil) {
				time.Sleep(time.Millisecond)
			}
		})
		calls := map[string]func(how func()) error{
			"alone":   func(how func()) error { _, err := sum.Call(t.Context(), conn, 0, bad(how)); return err },
			"an item": func(how func()) error { _, err := sum.Call(t.Context(), conn, 0, badItem(how)); return err },
			"beside a result": func(how func()) (failure error) {
				for _, err := range tenon.Stream(t.Context(), &double, conn, 0, &intItem, bad(how)) {
					failure = err
				}
				return failure
			},
			"beside a result that never ends": func(how func()) (failure error) {
				for _, err := range tenon.Stream(t.Context(), &hostile, conn, 0, &intItem, bad(how), tenon.FuncPort[int, int](&askF, nil)) {
					failure = err
					busy(time.Microsecond) // so that there is always another item
				}
				return failure
			},
			"the first of two": func(how func()) error {
				_, err := zip.Call(t.Context(), conn, 0, bad(how), waits)
				return err
			},
			"the second of two": func(how func()) error {
				_, err := zip.Call(t.Context(), conn, 0, waits, bad(how))
				return err
			},
			"both of two": func(how func()) error {
				_, err := zip.Call(t.Context(), conn, 0, bad(how), bad(how))
				return err
			},
			"beside two results": func(how func()) (failure error) {
				r := tenon.Streams(t.Context(), &both, conn, 0, bad(how))
				for port := 2; port <= 3; port++ {
					for _, err := range tenon.StreamOf(r, port, &intItem) {
						failure = err
					}
				}
				return failure
			},
		}
		for name, call := range calls {
			within(t, name+": the call", func() {
				if p := panicOf(func() { call(func() { panic("in the input") }) }); p != "in the input" {
					t.Errorf("%s: it panicked with %v", name, p)
				}
			})
			within(t, name+": the call of one who leaves", func() {
				left := make(chan error, 1)
				go func() {
					err := errors.New("the caller was ended")
					defer func() { left <- err }()
					if err = call(runtime.Goexit); err == nil {
						err = errors.New("it went in order")
					}
				}()
				if err := <-left; err == nil || strings.Contains(err.Error(), "it went in order") {
					t.Errorf("%s: %v", name, err)
				}
			})
			within(t, "another call", func() { mayCall(t, conn) })
		}
	})
}

// An input that waits for something else ends with the caller's context, and with
// the call if it watches a context that ends with that.
func TestInputThatWaitsEndsWithItsContext(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		conn := handling(t, a, b, readers)
		waiting := func(ctx context.Context) tenon.Port {
			return tenon.InputPort(&intItem, func(yield func(int, error) bool) {
				if yield(1, nil) {
					<-ctx.Done()
				}
			})
		}
		for _, patience := range []time.Duration{0, time.Millisecond, 20 * time.Millisecond} {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			within(t, "a call", func() {
				if _, err := sum.Call(ctx, conn, 0, waiting(ctx)); !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			})
			cancel()
			ctx, cancel = context.WithTimeout(t.Context(), patience)
			within(t, "a loop", func() {
				var failure error
				for _, err := range tenon.Stream(ctx, &double, conn, 0, &intItem, waiting(ctx)) {
					failure = err
				}
				if !errors.Is(failure, context.DeadlineExceeded) {
					t.Error(failure)
				}
			})
			cancel()
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		within(t, "a loop that is left", func() {
			for range tenon.Stream(t.Context(), &double, conn, 0, &intItem, waiting(ctx)) {
				cancel() // before break, which waits for the input
				break
			}
		})
	})
}

// The first error of an input is what the handler's loop gets, behind the items.
func TestErrorOfAnInputReachesTheHandler(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		conn := handling(t, a, b, readers)
		full := errors.New("the disk is full")
		failing := tenon.InputPort(&intItem, func(yield func(int, error) bool) {
			for i := range 10 {
				if !yield(i, nil) {
					return
				}
			}
			if yield(0, full) {
				t.Error("asked for more after an error")
			}
		})
		mustBe := func(err error, text string) {
			t.Helper()
			var e *tenon.Error
			if err == nil || err.Error() != text || !errors.Is(err, full) || !errors.As(err, &e) {
				t.Errorf("%v", err)
			}
		}
		_, err := sum.Call(t.Context(), conn, 0, failing)
		mustBe(err, "flow.Flow/Sum: the handler got: the disk is full")
		_, err = zip.Call(t.Context(), conn, 0, tenon.InputPort(&intItem, upTo(10)), failing)
		mustBe(err, "flow.Flow/Zip: the handler got: the disk is full")
		next := 0
		var failure error
		for v, err := range tenon.Stream(t.Context(), &double, conn, 0, &intItem, failing) {
			if failure = err; err == nil && v != next {
				t.Errorf("%d after %d", v, next)
			}
			next++
		}
		mustBe(failure, "flow.Flow/Double: the disk is full")
		if next != 11 {
			t.Errorf("%d items", next-1)
		}
		r := tenon.Streams(t.Context(), &both, conn, 0, failing)
		for range tenon.StreamOf(r, 3, &intItem) {
			break
		}
		for _, err := range tenon.StreamOf(r, 2, &intItem) {
			failure = err
		}
		if !errors.Is(failure, full) {
			t.Errorf("one of two: %v", failure)
		}
	})
}

// idle is an input of n items that then waits until ctx ends, and says that it did.
func idle(ctx context.Context, n int) tenon.Port {
	return tenon.InputPort(&intItem, func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
		<-ctx.Done()
		yield(0, context.Cause(ctx))
	})
}

// An input that waits for its source does not hold up a call that is over: not after
// an early answer, not after break, not when the connection is lost or the context
// of the call alone has ended.
func TestInputsAreCutWhenTheCallIsOver(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		conn := handling(t, a, b, readers)
		inScope := func(what string, call func(ctx context.Context)) {
			ctx, cancel := tenon.WithInputCancel(t.Context())
			defer cancel()
			within(t, what, func() { call(ctx) })
			if ctx.Err() == nil {
				t.Errorf("%s: the input was not told", what)
			}
		}
		inScope("an early answer", func(ctx context.Context) {
			if got, err := sum.Call(ctx, conn, 10, idle(ctx, 5)); got != 10 || err != nil {
				t.Errorf("%d, %v", got, err)
			}
		})
		inScope("break", func(ctx context.Context) {
			for v, err := range tenon.Stream(ctx, &double, conn, 0, &intItem, idle(ctx, 3)) {
				if err != nil {
					t.Error(err)
				} else if v == 2 {
					break
				}
			}
		})
		inScope("break of two loops", func(ctx context.Context) {
			r := tenon.Streams(ctx, &both, conn, 0, idle(ctx, 1))
			for port := 2; port <= 3; port++ {
				for _, err := range tenon.StreamOf(r, port, &intItem) {
					if err != nil {
						t.Error(err)
					}
					break
				}
			}
		})
		for started := false; !started; { // where the deadline comes first there is nothing to tell
			within(t, "a deadline of the call alone", func() {
				ctx, cancel := tenon.WithInputCancel(t.Context())
				defer cancel()
				short, cancel := context.WithTimeout(ctx, time.Millisecond)
				defer cancel()
				_, err := sum.Call(short, conn, 0, tenon.InputPort(&intItem, func(func(int, error) bool) {
					started = true
					<-ctx.Done()
				}))
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			})
		}
		inScope("a connection that is lost", func(ctx context.Context) {
			_, err := zip.Call(ctx, conn, 0, tenon.InputPort(&intItem, upTo(3)), tenon.InputPort(&intItem, func(yield func(int, error) bool) {
				b.Close()
				<-ctx.Done()
			}))
			if e, ok := err.(*tenon.Error); !ok || e.Code != tenon.Unavailable {
				t.Error(err)
			}
		})
	})
}

// An answer that comes while an input waits is read at once: nobody has to find out that
// the one who would read it is elsewhere.
func TestAnswerIsReadWhileAnInputWaits(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		conn := handling(t, a, b, readers)
		tenon.StopWatch(conn)
		for range 20 {
			within(t, "the call", func() {
				ctx, cancel := tenon.WithInputCancel(t.Context())
				defer cancel()
				if got, err := sum.Call(ctx, conn, 10, idle(ctx, 6)); err != nil || got != 10 {
					t.Error(got, err)
				}
			})
		}
	})
}

// What is cut is the input and nothing else: what came before the end is there, the
// error is the handler's own, and such a call is not made again.
func TestOnlyInputsAreCut(t *testing.T) {
	early := errors.New("enough")
	srv := tenon.NewServer()
	tenon.Handle(srv, &double, func(ctx context.Context, n int) (int, error) {
		return 0, tenon.Output(ctx, 2, &intItem, upTo(n)) // without its input
	})
	tenon.Handle(srv, &sum, func(ctx context.Context, n int) (int, error) {
		for range tenon.Input(ctx, 1, &intItem) {
			break
		}
		return 0, early
	})
	var last tenon.CallInfo
	watch := func(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) error {
		err := errors.Join(next(ctx), ctx.Err())
		last = *info
		return err
	}
	conn := serve(t, srv, tenon.WithCallInterceptor(watch))
	ctx, cancel := tenon.WithInputCancel(t.Context())
	items := 0
	within(t, "the loop", func() {
		for _, err := range tenon.Stream(ctx, &double, conn, 1000, &intItem, idle(ctx, 1)) {
			if items++; err != nil || ctx.Err() != nil {
				t.Fatal(err, ctx.Err())
			}
		}
	})
	if cancel(); items != 1000 {
		t.Errorf("%d items", items)
	}
	ctx, cancel = tenon.WithInputCancel(t.Context())
	within(t, "the call", func() {
		if _, err := sum.Call(ctx, conn, 0, idle(ctx, 1)); err == nil || !strings.Contains(err.Error(), "enough") || errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	if cancel(); !last.Spent {
		t.Error("the call may be made again, without its input")
	}
	ctx, cancel = tenon.WithInputCancel(t.Context())
	defer cancel()
	for range 2 { // an input that ends by itself ends nothing else
		if _, err := sum.Call(ctx, conn, 0, tenon.InputPort(&intItem, upTo(0))); err == nil || ctx.Err() != nil {
			t.Error(err, ctx.Err())
		}
	}
}
