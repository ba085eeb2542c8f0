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

// restartable is a server that a client can dial and that can be ended.
type restartable struct {
	mu     sync.Mutex
	srv    *tenon.Server
	dials  atomic.Int64
	refuse atomic.Bool
	conns  sync.WaitGroup
}

func (r *restartable) start() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.srv = (&calc{}).server()
}

func (r *restartable) stop(t *testing.T) {
	r.mu.Lock()
	srv := r.srv
	r.mu.Unlock()
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func (r *restartable) dial(context.Context) (tenon.Link, error) {
	r.dials.Add(1)
	if r.refuse.Load() {
		return nil, errors.New("connection refused")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	a, b := inproc.Pair()
	srv := r.srv
	r.conns.Go(func() { srv.ServeLink(context.Background(), b) })
	return a, nil
}

func TestClientConnectsAtItsFirstCallAndAgainAfterALoss(t *testing.T) {
	var r restartable
	r.start()
	var mu sync.Mutex
	var states []string
	c := tenon.NewClient(r.dial, nil, tenon.WithStateFunc(func(s tenon.ClientState, _ error) {
		mu.Lock()
		defer mu.Unlock()
		states = append(states, s.String())
	}))
	if n := r.dials.Load(); n != 0 || c.State() != tenon.Idle {
		t.Errorf("before the first call: %d dials, %v", n, c.State())
	}
	call := func() {
		t.Helper()
		if sum, err := add.Call(t.Context(), c, pair{1, 2}); err != nil || sum != 3 {
			t.Errorf("%d, %v", sum, err)
		}
	}
	call()
	call()
	if n := r.dials.Load(); n != 1 || c.State() != tenon.Connected {
		t.Errorf("%d dials, %v", n, c.State())
	}
	r.stop(t)
	r.start()
	call()
	if n := r.dials.Load(); n != 2 {
		t.Errorf("after the loss: %d dials", n)
	}
	c.Close()
	if _, err := add.Call(t.Context(), c, pair{1, 2}); !tenon.SafeToRetry(err) || c.State() != tenon.Closed {
		t.Errorf("after Close: %v, %v", err, c.State())
	}
	mu.Lock()
	if got := strings.Join(states, " "); got != "connecting connected idle connecting connected closed" && got != "connecting connected connecting connected closed" {
		t.Error(got)
	}
	mu.Unlock()
	r.stop(t)
	r.conns.Wait()
}

func TestClientPausesBetweenAttemptsAndSaysWhy(t *testing.T) {
	var r restartable
	r.start()
	r.refuse.Store(true)
	c := tenon.NewClient(r.dial, nil)
	defer c.Close()
	_, err := add.Call(t.Context(), c, pair{})
	if err == nil || !tenon.SafeToRetry(err) || !strings.Contains(err.Error(), "connection refused") || !strings.Contains(err.Error(), "test.Calc/Add") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := add.Call(ctx, c, pair{}); !errors.Is(err, context.DeadlineExceeded) || !tenon.SafeToRetry(err) {
		t.Errorf("within the pause: %v", err)
	}
	if n := r.dials.Load(); n != 1 || c.State() != tenon.Pausing {
		t.Errorf("%d dials, %v", n, c.State())
	}
	r.refuse.Store(false)
	if _, err := add.Call(t.Context(), c, pair{}); err != nil {
		t.Errorf("after the pause: %v", err)
	}
	c.Close()
	r.stop(t)
	r.conns.Wait()
}

func TestManyCallersShareOneConnectionThroughRestarts(t *testing.T) {
	var r restartable
	r.start()
	c := tenon.NewClient(r.dial, nil)
	ctx, cancel := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	for i := range int64(16) {
		callers.Go(func() {
			for ctx.Err() == nil {
				sum, err := add.Call(ctx, c, pair{i, 1})
				if tenon.SafeToRetry(err) {
					continue // twice in a row it came to a server just as that ended
				}
				if ctx.Err() == nil && (err != nil || sum != i+1) {
					t.Errorf("%d, %v", sum, err)
					return
				}
			}
		})
	}
	for range 20 {
		time.Sleep(2 * time.Millisecond)
		r.mu.Lock()
		old := r.srv
		r.srv = (&calc{}).server()
		r.mu.Unlock()
		if err := old.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
	cancel()
	callers.Wait()
	c.Close()
	r.mu.Lock() // a last dial may be under way
	r.conns.Wait()
	r.mu.Unlock()
	if n := r.dials.Load(); n != 21 {
		t.Logf("%d dials for 20 restarts", n)
	}
}
