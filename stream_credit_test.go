package tenon_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
)

// The credit that fast streams share comes back when they end.
func TestSharedCreditComesBack(t *testing.T) {
	a, b := inproc.Pair()
	conn := handling(t, a, b, piecesBack)
	mayFlow := func() {
		items := repeat(make([]byte, 100_000), 100)
		for _, err := range tenon.Stream(t.Context(), &pieces, conn, 0, &bytesItem, tenon.InputPort(&bytesItem, items)) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	before, lowest := tenon.Spare(conn), tenon.Spare(conn)
	for range 5 {
		mayFlow()
	}
	for range tenon.Stream(t.Context(), &pieces, conn, 0, &bytesItem, tenon.InputPort(&bytesItem, repeat(make([]byte, 100_000), 100))) {
		lowest = min(lowest, tenon.Spare(conn))
	}
	if lowest == before {
		t.Error("no stream got more than its window")
	}
	if after := tenon.Spare(conn); after != before {
		t.Errorf("%d bytes are left of %d", after, before)
	}
}

// Who reads slower than the other side sends keeps the window of the start: more
// would only lie there.
func TestSlowReaderGetsNoMoreCredit(t *testing.T) {
	const items, size, window = 300, 4 << 10, 64 << 10
	var sent atomic.Int64
	a, b := inproc.Pair()
	conn := handling(t, a, b, func(srv *tenon.Server) {
		tenon.Handle(srv, &pieces, func(ctx context.Context, n int) (int, error) {
			return 0, tenon.Output(ctx, 2, &bytesItem, func(yield func([]byte, error) bool) {
				for sent.Add(1) <= items && yield(make([]byte, size), nil) {
				}
			})
		})
	}, tenon.WithStreamWindow(window, 1000))
	before, taken := tenon.Spare(conn), int64(0)
	within(t, "the stream", func() {
		for _, err := range tenon.Stream(t.Context(), &pieces, conn, 0, &bytesItem, tenon.InputPort[[]byte](&bytesItem, nil)) {
			if taken++; err != nil || tenon.Spare(conn) != before {
				t.Fatalf("%d bytes are left of %d after %d items, %v", tenon.Spare(conn), before, taken, err)
			}
			for sent.Load() < min(taken+window/size/2, items) { // so that there is always something to take
				time.Sleep(time.Microsecond)
			}
		}
	})
	if taken != items {
		t.Errorf("%d items of %d", taken, items)
	}
}
