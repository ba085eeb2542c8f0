package tenon_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
)

var (
	nest  = tenon.Method[pair, int64]{Name: "test.Storm/Nest", Shape: add.Shape, Args: add.Args, Result: add.Result}
	stall = tenon.Method[pair, int64]{Name: "test.Storm/Stall", Shape: add.Shape, Args: add.Args, Result: add.Result}
)

// A storm is what both sides of a connection serve: besides what a calc does,
// handlers that call back, two levels deep, and handlers that are short most of
// the time and then sleep, compute, or wait for a mutex that callers hold.
type storm struct {
	mu    sync.Mutex
	calls atomic.Int64
}

func (s *storm) server() *tenon.Server {
	srv := (&calc{}).server()
	tenon.Handle(srv, &nest, func(ctx context.Context, p pair) (int64, error) {
		if p.a == 0 {
			return p.b + 1, nil
		}
		sum, err := nest.Call(ctx, tenon.ConnFrom(ctx), pair{p.a - 1, p.b})
		return sum + 1, err
	})
	tenon.Handle(srv, &stall, func(ctx context.Context, p pair) (int64, error) {
		switch p.b {
		case 1:
			time.Sleep(time.Millisecond)
		case 2:
			busy(200 * time.Microsecond)
		case 3:
			s.mu.Lock()
			defer s.mu.Unlock()
		}
		return p.a, nil
	})
	return srv
}

// call makes one call of some kind and checks its outcome.
func (s *storm) call(ctx context.Context, conn *tenon.Conn, random *rand.Rand) error {
	s.calls.Add(1)
	x := random.Int64() >> 1
	switch kind := random.IntN(40); {
	case kind < 20:
		sum, err := add.Call(ctx, conn, pair{x, 1})
		return expect(err, sum == x+1, "sum")
	case kind < 26:
		what := random.Int64N(100)
		got, err := stall.Call(ctx, conn, pair{x, what})
		return expect(err, got == x, "answer of one who stalled")
	case kind < 28: // with the mutex that handlers want
		s.mu.Lock()
		defer s.mu.Unlock()
		sum, err := add.Call(ctx, conn, pair{x, 2})
		return expect(err, sum == x+2, "sum")
	case kind < 32:
		depth := random.Int64N(3)
		sum, err := nest.Call(ctx, conn, pair{depth, x})
		return expect(err, sum == x+depth+1, "nested sum")
	case kind < 34:
		p := bytes.Repeat([]byte{byte(x), byte(x >> 8)}, random.IntN(20<<10))
		got, err := echo.Call(ctx, conn, p)
		return expect(err, bytes.Equal(got, p), "echo")
	case kind < 37:
		short, cancel := context.WithTimeout(ctx, time.Duration(random.IntN(1500))*time.Microsecond)
		defer cancel()
		_, err := block.Call(short, conn, "")
		if err == nil {
			return errors.New("a blocked call succeeded")
		}
		return expect(err, true, "")
	default:
		how := []string{"panic", "goexit", "nil", "plain"}[random.IntN(4)]
		_, err := fail.Call(ctx, conn, how)
		if err == nil {
			return errors.New("a failure succeeded")
		}
		return expect(err, true, "")
	}
}

// TestStorm has 32 callers on each side of a connection call whatever there is.
func TestStorm(t *testing.T) {
	length := 50 * time.Millisecond
	if os.Getenv("TENON_SOAK") != "" {
		length = 20 * time.Second
	}
	for name, pair := range programLinks(t) {
		t.Run(name, func(t *testing.T) {
			seed := uint64(time.Now().UnixNano())
			a, b := pair()
			s := &storm{}
			x := tenon.NewConn(t.Context(), a, s.server(), tenon.WithLogger(quiet))
			y := tenon.NewConn(t.Context(), b, s.server(), tenon.WithLogger(quiet))
			defer y.Close()
			defer x.Close()
			end := time.Now().Add(length)
			var callers sync.WaitGroup
			for i := range 64 {
				conn := []*tenon.Conn{x, y}[i%2]
				callers.Go(func() {
					random := rand.New(rand.NewPCG(seed, uint64(i)))
					for time.Now().Before(end) && !closed(conn.Done()) {
						err := s.call(t.Context(), conn, random)
						if err != nil && !(strings.HasSuffix(name, "breaking") && closed(conn.Done())) {
							t.Errorf("seed %d: %v", seed, err)
						}
					}
				})
			}
			waitFor(t, fmt.Sprint("the storm of seed ", seed), 30*time.Second, callers.Wait)
			if !strings.HasSuffix(name, "breaking") {
				for _, conn := range []*tenon.Conn{x, y} {
					if err := conn.Err(); err != nil {
						t.Error(err)
					}
				}
				eventually(t, "each side has one base reader", func() bool { return bases() == 2 })
			}
			x.Close()
			y.Close()
			eventually(t, "nothing reads any more", func() bool { return bases() == 0 })
			t.Logf("%d calls", s.calls.Load())
		})
	}
}
