package tenon_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
)

var hold = tenon.Method[string, string]{Name: "test.Hold/Hold", Shape: "(s string) (string)", Args: textCodec, Result: textCodec}

// holding returns a server whose handlers answer once open is closed.
func holding(open <-chan struct{}, started *atomic.Int64) *tenon.Server {
	srv := tenon.NewServer()
	tenon.Handle(srv, &hold, func(ctx context.Context, s string) (string, error) {
		started.Add(1)
		select {
		case <-open:
			return s, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	return srv
}

func TestShutdownAnswersWhatWasAccepted(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		open := make(chan struct{})
		var started atomic.Int64
		srv := holding(open, &started)
		served := make(chan error, 1)
		go func() { served <- srv.ServeLink(context.Background(), b) }()
		conn := tenon.NewConn(t.Context(), a, nil)
		defer conn.Close()

		var callers sync.WaitGroup
		for range 20 {
			callers.Go(func() {
				if got, err := hold.Call(t.Context(), conn, "x"); err != nil || got != "x" {
					t.Errorf("accepted call: %q, %v", got, err)
				}
			})
		}
		eventually(t, "the handlers run", func() bool { return started.Load() == 20 })
		down := make(chan error, 1)
		go func() { down <- srv.Shutdown(context.Background()) }()
		eventually(t, "later calls are refused as safe to retry", func() bool {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			_, err := hold.Call(ctx, conn, "y")
			var e *tenon.Error
			return errors.As(err, &e) && e.Code == tenon.Unavailable && e.SafeToRetry
		})
		close(open)
		callers.Wait()
		if err := <-down; err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, tenon.ErrServerClosed) {
			t.Errorf("ServeLink: %v", err)
		}
		<-conn.Done()
	})
}

func TestShutdownGivesUpWithItsContext(t *testing.T) {
	a, b := inproc.Pair()
	var started atomic.Int64
	srv := holding(nil, &started)
	served := make(chan error, 1)
	go func() { served <- srv.ServeLink(context.Background(), b) }()
	conn := tenon.NewConn(t.Context(), a, nil)
	defer conn.Close()
	result := make(chan error, 1)
	go func() {
		_, err := hold.Call(t.Context(), conn, "x")
		result <- err
	}()
	eventually(t, "the handler runs", func() bool { return started.Load() == 1 })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := srv.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := <-result; err == nil || tenon.SafeToRetry(err) {
		t.Errorf("the call that was cut off: %v", err)
	}
	<-served
	if n := len(srv.Conns()); n != 0 {
		t.Errorf("%d connections are left", n)
	}
	c, d := inproc.Pair()
	defer c.Close()
	if err := srv.ServeLink(context.Background(), d); !errors.Is(err, tenon.ErrServerClosed) {
		t.Errorf("a connection after Shutdown: %v", err)
	}
}

func TestShutdownUnderLoadLosesNoCall(t *testing.T) {
	for range 20 {
		a, b := inproc.Pair()
		k := &calc{}
		srv := k.server()
		served := make(chan error, 1)
		go func() { served <- srv.ServeLink(context.Background(), b) }()
		conn := tenon.NewConn(t.Context(), a, nil)
		var callers sync.WaitGroup
		for i := range int64(16) {
			callers.Go(func() {
				for {
					sum, err := add.Call(t.Context(), conn, addArgs(i, 1))
					if err != nil {
						if !tenon.SafeToRetry(err) {
							t.Errorf("%v", err)
						}
						return
					}
					if sum != i+1 {
						t.Errorf("sum %d", sum)
					}
				}
			})
		}
		time.Sleep(time.Millisecond)
		if err := srv.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		callers.Wait()
		<-served
		conn.Close()
	}
}

// A handler that runs when its side is shut down may still pass functions to the calls
// that it makes.
func TestFunctionsOfHandlersAreCalledDuringShutdown(t *testing.T) {
	a, b := inproc.Pair()
	running, goOn := make(chan struct{}), make(chan struct{})
	srv := tenon.NewServer()
	tenon.Handle(srv, &hold, func(ctx context.Context, s string) (string, error) {
		close(running)
		<-goOn
		f := tenon.FuncPort(&askF, func(_ context.Context, n int) (int, error) { return n + 1, nil })
		n, err := asked.Call(ctx, tenon.ConnFrom(ctx), 1, f)
		return strconv.Itoa(n), err
	})
	served := make(chan error, 1)
	go func() { served <- srv.ServeLink(context.Background(), b) }()
	back := tenon.NewServer()
	tenon.Handle(back, &asked, func(ctx context.Context, n int) (int, error) { return askF.Call(ctx, tenon.Func(ctx, 1), n) })
	conn := tenon.NewConn(t.Context(), a, back)
	defer conn.Close()
	answer := make(chan string, 1)
	go func() {
		got, err := hold.Call(t.Context(), conn, "")
		if err != nil {
			t.Error(err)
		}
		answer <- got
	}()
	<-running
	down := make(chan error, 1)
	go func() { down <- srv.Shutdown(context.Background()) }()
	eventually(t, "later calls are refused", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := hold.Call(ctx, conn, "")
		return tenon.CodeOf(err) == tenon.Unavailable
	})
	close(goOn)
	if got := <-answer; got != "2" {
		t.Error(got)
	}
	if err := <-down; err != nil {
		t.Error(err)
	}
	<-served
}
