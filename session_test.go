package tenon_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
)

// sessions serves link with a service that has state per connection.
func sessions(t *testing.T, link tenon.Link) (opened, closed *atomic.Int64, served chan error) {
	opened, closed, served = new(atomic.Int64), new(atomic.Int64), make(chan error, 1)
	srv := tenon.NewServer()
	state := tenon.NewPerConn(func(*tenon.Conn) (*session, error) {
		return &session{opened.Add(1), closed}, nil
	})
	tenon.Handle(srv, &add, func(ctx context.Context, p pair) (int64, error) {
		s, err := state.For(ctx)
		if err != nil {
			return 0, err
		}
		return s.number, nil
	})
	tenon.Handle(srv, &echo, func(_ context.Context, p []byte) ([]byte, error) { return p, nil })
	go func() { served <- srv.ServeLink(context.Background(), link) }()
	return opened, closed, served
}

func TestClientConnectsAgainOverTheSameLink(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		_, closed, served := sessions(t, b)
		c := tenon.NewClientOver(a, nil)
		for epoch := range int64(20) {
			var callers sync.WaitGroup
			for range 4 {
				callers.Go(func() {
					if n, err := add.Call(t.Context(), c, pair2()); err != nil || n != epoch+1 {
						t.Errorf("connection %d: state %d, %v", epoch, n, err)
					}
					p := make([]byte, 100_000)
					if got, err := echo.Call(t.Context(), c, p); err != nil || len(got) != len(p) {
						t.Errorf("connection %d: %d bytes, %v", epoch, len(got), err)
					}
				})
			}
			callers.Wait()
			if c.State() != tenon.Connected {
				t.Errorf("%v", c.State())
			}
			if err := c.Disconnect(t.Context()); err != nil {
				t.Fatalf("connection %d: %v", epoch, err)
			}
			if c.State() != tenon.Idle {
				t.Errorf("%v", c.State())
			}
			eventually(t, "the state is closed", func() bool { return closed.Load() == epoch+1 })
		}
		c.Close()
		if err := <-served; err != nil && !errors.Is(err, tenon.ErrPeerGone) {
			t.Errorf("ServeLink: %v", err)
		}
		if _, err := add.Call(t.Context(), c, pair2()); !tenon.SafeToRetry(err) {
			t.Errorf("after Close: %v", err)
		}
	})
}

func pair2() pair { return pair{1, 2} }

func TestCallsOverALinkThatHasEndedFailAtOnce(t *testing.T) {
	a, b := inproc.Pair()
	client := tenon.NewClientOver(a, nil)
	defer client.Close()
	b.Close()
	began := time.Now()
	for range 20 { // pauses that double from 50 ms would take minutes
		_, err := add.Call(t.Context(), client, pair{1, 2})
		if err == nil {
			t.Fatal("there was no other side")
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if _, err := add.Call(t.Context(), client, pair{1, 2}); !strings.Contains(err.Error(), "has no other") || !tenon.SafeToRetry(err) {
		t.Errorf("%v", err)
	}
}

func TestDisconnectWaitsForRunningCalls(t *testing.T) {
	for name, client := range map[string]func(serve func(tenon.Link)) *tenon.Client{
		"over one link": func(serve func(tenon.Link)) *tenon.Client {
			a, b := inproc.Pair()
			serve(b)
			return tenon.NewClientOver(a, nil)
		},
		"that dials": func(serve func(tenon.Link)) *tenon.Client {
			return tenon.NewClient(func(context.Context) (tenon.Link, error) {
				a, b := inproc.Pair()
				serve(b)
				return a, nil
			}, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			open := make(chan struct{})
			var started atomic.Int64
			var serving sync.WaitGroup
			defer serving.Wait()
			srv := holding(open, &started)
			c := client(func(link tenon.Link) {
				serving.Go(func() { srv.ServeLink(context.Background(), link) })
			})
			defer c.Close()
			result := make(chan error, 1)
			go func() {
				_, err := hold.Call(t.Context(), c, "x")
				result <- err
			}()
			eventually(t, "the handler runs", func() bool { return started.Load() == 1 })
			gone := make(chan error, 1)
			go func() { gone <- c.Disconnect(t.Context()) }()
			select {
			case err := <-gone:
				t.Errorf("it did not wait: %v", err)
			case err := <-result:
				t.Errorf("the running call: %v", err)
			case <-time.After(10 * time.Millisecond):
			}
			close(open)
			if err := <-result; err != nil {
				t.Errorf("the running call: %v", err)
			}
			if err := <-gone; err != nil {
				t.Error(err)
			}
			if got, err := hold.Call(t.Context(), c, "again"); err != nil || got != "again" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestDisconnectFromAPeerThatIsSilent(t *testing.T) {
	a, b := inproc.Pair() // nobody serves b
	defer b.Close()
	c := tenon.NewClientOver(a, nil)
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := add.Call(ctx, c, pair2()); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := c.Disconnect(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := add.Call(t.Context(), c, pair2()); err == nil || !strings.Contains(err.Error(), "the link has ended") {
		t.Error(err)
	}
}

func TestASecondConnectionOverOneLinkIsRefused(t *testing.T) {
	a, b := inproc.Pair()
	conn := connect(t, &calc{}, a, b)
	second := tenon.NewConn(t.Context(), a, nil)
	if _, err := add.Call(t.Context(), second, pair2()); !errors.Is(err, tenon.ErrLinkInUse) || !tenon.SafeToRetry(err) {
		t.Error(err)
	}
	<-second.Done()
	if !errors.Is(second.Err(), tenon.ErrLinkInUse) {
		t.Error(second.Err())
	}
	mayCall(t, conn)
}

func TestASecondClientOverOneLinkIsRefused(t *testing.T) {
	a, b := inproc.Pair()
	_, _, served := sessions(t, b)
	first, second := tenon.NewClientOver(a, nil), tenon.NewClientOver(a, nil)
	for range 2 {
		if _, err := add.Call(t.Context(), first, pair2()); err != nil {
			t.Error(err)
		}
		for range 2 {
			if _, err := add.Call(t.Context(), second, pair2()); !errors.Is(err, tenon.ErrLinkInUse) || !tenon.SafeToRetry(err) {
				t.Error(err)
			}
		}
		if err := first.Disconnect(t.Context()); err != nil {
			t.Error(err)
		}
	}
	second.Close()
	if _, err := add.Call(t.Context(), first, pair2()); err != nil {
		t.Errorf("after the refused one was closed: %v", err)
	}
	first.Close()
	<-served
}

func TestCallsDuringDisconnectsAllSucceed(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		_, _, served := sessions(t, b)
		c := tenon.NewClientOver(a, nil)
		ctx, cancel := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() {
				for ctx.Err() == nil {
					if _, err := add.Call(ctx, c, pair2()); err != nil && ctx.Err() == nil {
						t.Errorf("%v", err)
						return
					}
				}
			})
		}
		for i := range 60 {
			if err := c.Disconnect(t.Context()); err != nil {
				t.Errorf("%v", err)
			}
			time.Sleep(time.Duration(i%5) * 200 * time.Microsecond)
		}
		cancel()
		callers.Wait()
		c.Close()
		<-served
	})
}
