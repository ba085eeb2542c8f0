//go:build !race

package tenon_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/shm"
)

// TestAllocationsPerCall holds what a small call costs the heap: nothing on the
// caller's side, and on the other one the handler's context. The race detector
// allocates too, so it is not there.
func TestAllocationsPerCall(t *testing.T) {
	limited, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	a, b, err := shm.Pair()
	if err != nil {
		t.Fatal(err)
	}
	here, elsewhere := connect(t, &calc{}, a, b), servedElsewhere(t)
	for _, c := range []struct {
		name  string
		ctx   context.Context
		conn  *tenon.Conn
		bound float64
	}{
		{"caller", context.Background(), elsewhere, 0},
		{"caller, with a deadline", limited, elsewhere, 0},
		{"both sides", context.Background(), here, 1},
		{"both sides, with a deadline", limited, here, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := func() {
				if _, err := add.Call(c.ctx, c.conn, pair{1, 2}); err != nil {
					t.Fatal(err)
				}
			}
			call()
			if n := testing.AllocsPerRun(2000, call); n > c.bound {
				t.Errorf("%v allocations, at most %v", n, c.bound)
			}
		})
	}
}
