package tenon_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
)

// A function among the arguments ends with the call: its context does, and the call
// waits for it. Later calls of it are refused.
func TestFunctionsEndWithTheirCall(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		late := make(chan error, 2)
		a, b := pair()
		conn := handling(t, a, b, func(srv *tenon.Server) {
			tenon.Handle(srv, &asked, func(ctx context.Context, n int) (int, error) {
				f := tenon.Func(ctx, 1)
				began := make(chan struct{})
				free := context.WithoutCancel(ctx)
				go func() {
					close(began)
					_, err := askF.Call(free, f, 1)
					late <- err
					_, err = askF.Call(free, f, 2)
					late <- err
				}()
				<-began
				if _, err := askF.Call(ctx, f, 0); err != nil {
					return 0, err
				}
				return 1, nil
			})
		})
		running, ended := 0, 0
		both := make(chan struct{})
		within(t, "the call", func() {
			got, err := asked.Call(t.Context(), conn, 0, tenon.FuncPort(&askF, func(ctx context.Context, i int) (int, error) {
				if i == 0 { // answers when the other one runs
					both <- struct{}{}
					return 0, nil
				}
				running++
				<-both
				<-ctx.Done()
				ended++
				return 0, ctx.Err()
			}))
			if got != 1 || err != nil {
				t.Error(got, err)
			}
			if running != 1 || ended != 1 {
				t.Errorf("%d functions run, %d have ended", running, ended)
			}
			for range 2 {
				if err := <-late; err == nil {
					t.Error("a function answered after its call")
				}
			}
		})
	})
}

// The error of a function that the handler passes on says who failed.
func TestErrorOfAFunctionIsNamed(t *testing.T) {
	a, b := inproc.Pair()
	srv := tenon.NewServer(tenon.WithLogger(quiet))
	tenon.Handle(srv, &asked, func(ctx context.Context, n int) (int, error) {
		_, err := askF.Call(ctx, tenon.Func(ctx, 1), n)
		if err == nil || !strings.HasSuffix(err.Error(), " [the host]") {
			t.Errorf("the handler got %v", err)
		}
		if n == 1 {
			return 0, fmt.Errorf("asking: %w", err)
		}
		return 0, err
	})
	tenon.Handle(srv, &sum, func(context.Context, int) (int, error) { return 0, errors.New("no numbers") })
	go srv.ServeLink(t.Context(), b, tenon.WithPeerName("the host"))
	conn := tenon.NewConn(t.Context(), a, nil, tenon.WithPeerName("the worker"), tenon.WithLogger(quiet))
	defer conn.Close()
	for n, want := range []string{
		"flow.Flow/Ask: its function f: boom [the worker]",
		"flow.Flow/Ask: asking: flow.Flow/Ask.f: boom [the host] [the worker]",
		"flow.Flow/Ask: its function f: flow.Flow/Sum: no numbers [the worker]",
	} {
		_, err := asked.Call(t.Context(), conn, n, tenon.FuncPort(&askF, func(ctx context.Context, n int) (int, error) {
			if n == 2 {
				return sum.Call(ctx, conn, 0, tenon.InputPort[int](&intItem, nil))
			}
			return 0, errors.New("boom")
		}))
		if err == nil || err.Error() != want {
			t.Errorf("%v; wanted %s", err, want)
		}
	}
}

// A panic of a function is one of the caller: it ends his call, is raised again on his
// goroutine, and leaves the handler's process and the connection as they are.
func TestPanicOfAFunctionIsRaisedWhereTheCallWasMade(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		const ignored, waits, passedOn = 0, 1, 2
		a, b := pair()
		conn := handling(t, a, b, func(srv *tenon.Server) {
			tenon.Handle(srv, &asked, func(ctx context.Context, n int) (int, error) {
				got, err := askF.Call(ctx, tenon.Func(ctx, 1), n)
				switch n {
				case waits:
					<-ctx.Done()
				case passedOn:
					return got, err
				}
				return got, nil
			})
		})
		call := func(n int, f func()) (int, error) {
			return asked.Call(t.Context(), conn, n, tenon.FuncPort(&askF, func(context.Context, int) (int, error) {
				f()
				return 7, nil
			}))
		}
		for _, n := range []int{ignored, waits, passedOn} {
			within(t, "the call", func() {
				if p := panicOf(func() { call(n, func() { panic("in the function") }) }); p != "in the function" {
					t.Errorf("%d: %v", n, p)
				}
				_, err := call(n, runtime.Goexit)
				if tenon.CodeOf(err) != tenon.Panicked || !strings.Contains(err.Error(), "function ended its goroutine") {
					t.Errorf("%d: %v", n, err)
				}
			})
		}
		if got, err := call(passedOn, func() {}); got != 7 || err != nil {
			t.Error(got, err)
		}
	})
}
