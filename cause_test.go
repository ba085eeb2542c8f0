package tenon_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
)

// Why a context was ended is in the error of a call that ended with it, whatever the
// call was doing.
func TestCauseOfTheContextIsInTheErrorOfItsCall(t *testing.T) {
	left := errors.New("the user has left")
	over := make(chan struct{}) // no handler answers before
	defer close(over)
	a, b := inproc.Pair()
	conn := handling(t, a, b, func(srv *tenon.Server) {
		serveBoth(srv)
		tenon.Handle(srv, &count, func(ctx context.Context, n int) (int, error) {
			return 0, tenon.Output(ctx, 1, &intItem, upTo(n))
		})
		tenon.Handle(srv, &sum, func(ctx context.Context, n int) (int, error) {
			<-over
			return 0, ctx.Err()
		})
		tenon.Handle(srv, &echo, func(ctx context.Context, p []byte) ([]byte, error) {
			<-over
			return nil, ctx.Err()
		})
	})
	for name, call := range map[string]func(ctx context.Context, started func()) error{
		"a call": func(ctx context.Context, started func()) error {
			time.AfterFunc(time.Millisecond, started)
			_, err := echo.Call(ctx, conn, nil)
			return err
		},
		"one that never began": func(ctx context.Context, started func()) error {
			started()
			_, err := echo.Call(ctx, conn, nil)
			return err
		},
		"a pending one": func(ctx context.Context, started func()) error {
			p := echo.Start(ctx, conn, nil)
			time.AfterFunc(time.Millisecond, started)
			_, err := p.Wait()
			return err
		},
		"the input": func(ctx context.Context, started func()) error {
			_, err := sum.Call(ctx, conn, 0, tenon.InputPort(&intItem, func(yield func(int, error) bool) {
				started()
				yield(1, nil)
			}))
			return err
		},
		"the loop": func(ctx context.Context, started func()) (err error) {
			for _, err = range tenon.Stream(ctx, &count, conn, 1<<40, &intItem) {
				started()
			}
			return err
		},
		"one of two loops": func(ctx context.Context, started func()) (err error) {
			r := tenon.Streams(ctx, &both, conn, 0, tenon.InputPort(&intItem, upTo(1<<40)))
			for _, err = range tenon.StreamOf(r, 2, &intItem) {
				started()
			}
			return err
		},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		err := call(ctx, func() { cancel(left) })
		var e *tenon.Error
		if !errors.Is(err, context.Canceled) || !errors.Is(err, left) || !errors.As(err, &e) || e.Method == "" ||
			strings.Count(err.Error(), "context canceled: the user has left") != 1 {
			t.Errorf("%s: %v", name, err)
		}

		ctx, stop := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, left)
		err = call(ctx, func() { <-ctx.Done() })
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, left) {
			t.Errorf("%s, deadline: %v", name, err)
		}
		stop()
	}
}
