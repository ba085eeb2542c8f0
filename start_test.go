package tenon_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
)

func TestManyCallsStartedByOneGoroutine(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		conn := connect(t, &calc{}, a, b)
		for range 5 {
			var started [300]*tenon.Pending[int64]
			for i := range started {
				started[i] = add.Start(t.Context(), conn, addArgs(int64(i), 1))
			}
			for i, p := range started {
				for range 2 {
					if sum, err := p.Wait(); err != nil || sum != int64(i+1) {
						t.Fatalf("call %d: %d, %v", i, sum, err)
					}
				}
			}
		}
	})
}

func TestStartedCallIsPublishedThoughNobodyWaits(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		k := &calc{}
		conn := connect(t, k, a, b)
		ctx, cancel := context.WithCancel(t.Context())
		p := block.Start(ctx, conn, "x")
		eventually(t, "the handler runs", func() bool { return k.started.Load() == 1 })
		cancel()
		if _, err := p.Wait(); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}

func TestStartThroughOtherCallers(t *testing.T) {
	var r restartable
	r.start()
	c := tenon.NewClient(r.dial, nil)
	p := add.Start(t.Context(), c, pair{1, 2})
	if sum, err := p.Wait(); err != nil || sum != 3 {
		t.Errorf("%d, %v", sum, err)
	}
	c.Close()
	if _, err := add.Start(t.Context(), c, pair{1, 2}).Wait(); !tenon.SafeToRetry(err) {
		t.Errorf("%v", err)
	}
	r.stop(t)
	r.conns.Wait()
}

func TestStartAfterTheEnd(t *testing.T) {
	a, b := links(t)["inproc"]()
	conn := connect(t, &calc{}, a, b)
	mayCall(t, conn)
	conn.Close()
	if _, err := add.Start(t.Context(), conn, pair{1, 2}).Wait(); !tenon.SafeToRetry(err) {
		t.Errorf("%v", err)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	if _, err := add.Start(late, conn, pair{1, 2}).Wait(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}
