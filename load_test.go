package tenon_test

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
)

// bothWays joins two ends that serve each other.
func bothWays(t *testing.T, a, b tenon.Link, opts ...tenon.Option) (x, y *tenon.Conn) {
	t.Helper()
	x = tenon.NewConn(t.Context(), a, (&calc{}).server(), opts...)
	y = tenon.NewConn(t.Context(), b, (&calc{}).server(), opts...)
	t.Cleanup(func() {
		x.Close()
		y.Close()
	})
	return x, y
}

func TestCallsReturnAtTheirDeadlineThoughBuffersAreFull(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		conn := connect(t, &calc{}, a, stopping{b, make(chan struct{})})
		mayCall(t, conn)
		stopped.Store(true)
		defer stopped.Store(false)
		p := make([]byte, 64<<10)
		for range 200 { // more than any link holds
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Millisecond)
			_, err := echo.Call(ctx, conn, p)
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("%v", err)
			}
		}
		stopped.Store(false)
		mayCall(t, conn) // and it goes on
		if got, err := echo.Call(t.Context(), conn, p); err != nil || len(got) != len(p) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})
}

func TestSmallCallsPassBetweenLargeOnes(t *testing.T) {
	size := 16 << 20 / tenon.Scale
	if os.Getenv("TENON_SOAK") != "" {
		size = 64 << 20
	}
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		x, y := bothWays(t, a, b)
		large := make([]byte, size)
		for i := 0; i+4 <= len(large); i += 4096 {
			binary.LittleEndian.PutUint32(large[i:], uint32(i))
		}
		sum := crc32.ChecksumIEEE(large)
		var transfers sync.WaitGroup
		done := make(chan struct{})
		for _, conn := range []*tenon.Conn{x, y} {
			transfers.Go(func() {
				got, err := echo.Call(t.Context(), conn, large)
				if err != nil || crc32.ChecksumIEEE(got) != sum {
					t.Errorf("%d bytes, %v", len(got), err)
				}
			})
		}
		go func() {
			transfers.Wait()
			close(done)
		}()
		calls := 0
		for {
			select {
			case <-done:
				if calls < 3 {
					t.Errorf("only %d small calls passed", calls)
				}
				return
			default:
				mayCall(t, x)
				calls++
			}
		}
	})
}

func TestLargeMessagesAtOnceStayWithinTheBudget(t *testing.T) {
	a, b := links(t)["shm"]()
	// Room for two at a time; sixteen are sent both ways.
	x, y := bothWays(t, a, b, tenon.WithMaxMessage(5<<20), tenon.WithMaxReassembly(9<<20))
	large := make([]byte, 4<<20)
	var transfers sync.WaitGroup
	for _, conn := range []*tenon.Conn{x, y} {
		for range 16 {
			transfers.Go(func() {
				if got, err := echo.Call(t.Context(), conn, large); err != nil || len(got) != len(large) {
					t.Errorf("%d bytes, %v", len(got), err)
				}
			})
		}
	}
	transfers.Wait()
}
