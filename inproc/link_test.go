package inproc_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/linktest"
)

func TestMain(m *testing.M) { os.Exit(leak.Main(m)) }

var _ tenon.DirectLink = (*inproc.Link)(nil)

func TestPairPassesTheSuite(t *testing.T) {
	linktest.Run(t, func(t *testing.T) (a, b tenon.Link) { return inproc.Pair() })
}

func TestSmallestPairPassesTheSuite(t *testing.T) {
	linktest.Run(t, func(t *testing.T) (a, b tenon.Link) { return inproc.Pair(inproc.Capacity(1)) })
}

func TestTheReceiverBorrowsTheVeryMemoryOfTheSender(t *testing.T) {
	a, b := inproc.Pair()
	p := append(a.Reserve(5), "hello"...)
	if err := errors.Join(a.Commit(p), a.Flush()); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Recv(); err != nil || &got[0] != &p[0] {
		t.Errorf("got %q at another place, %v", got, err)
	}
}

func TestAMessageAllocatesNothing(t *testing.T) {
	a, b := inproc.Pair()
	allocs := testing.AllocsPerRun(1000, func() {
		p := a.Reserve(64)
		a.Commit(p[:64])
		a.Flush()
		b.Recv()
	})
	if allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestValuesArriveInOrderAndBeforeTheEnd(t *testing.T) {
	ctx := context.Background()
	a, b := inproc.Pair()
	type job struct{ N int }
	jobs := []*job{{1}, {2}, {3}}
	for _, j := range jobs {
		if err := a.SendValue(ctx, j); err != nil {
			t.Fatal(err)
		}
	}
	a.Close()
	for _, j := range jobs {
		if v, err := b.RecvValue(ctx); v != j || err != nil {
			t.Errorf("got %v, %v", v, err)
		}
	}
	if _, err := b.RecvValue(ctx); err != io.EOF {
		t.Errorf("got %v, want io.EOF", err)
	}
	if err := b.SendValue(ctx, 1); !errors.Is(err, tenon.ErrPeerGone) {
		t.Errorf("got %v, want ErrPeerGone", err)
	}
	if err := a.SendValue(ctx, 1); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v, want net.ErrClosed", err)
	}
	if _, err := a.RecvValue(ctx); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v, want net.ErrClosed", err)
	}
}

func TestFullAndEmptyValueQueuesWaitUntilContextOrCloseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := inproc.Pair(inproc.ValueCapacity(1))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		a.SendValue(ctx, 1)
		if err := a.SendValue(ctx, 2); err != context.DeadlineExceeded {
			t.Errorf("SendValue: got %v, want the context's end", err)
		}
		if _, err := a.RecvValue(ctx); err != context.DeadlineExceeded {
			t.Errorf("RecvValue: got %v, want the context's end", err)
		}
		errs := make(chan error, 2)
		go func() { errs <- a.SendValue(t.Context(), 2) }()
		go func() { _, err := a.RecvValue(t.Context()); errs <- err }()
		synctest.Wait()
		b.Close()
		for range 2 {
			if err := <-errs; err != io.EOF && !errors.Is(err, tenon.ErrPeerGone) {
				t.Errorf("got %v", err)
			}
		}
	})
}

func TestCapacityBoundsWhatIsHeld(t *testing.T) {
	for _, capacity := range []int{0, 128 << 10, 1 << 20} {
		a, _ := inproc.Pair(inproc.Capacity(capacity))
		held := 0
		for p := a.Reserve(1000); p != nil; p = a.Reserve(1000) {
			a.Commit(p[:1000])
			held += 1000
		}
		if limit := max(capacity, 128<<10) + 8<<10; held > limit || held < limit/2 {
			t.Errorf("Capacity(%d) holds %d bytes", capacity, held)
		}
	}
}

func BenchmarkPingPong(b *testing.B) {
	x, y := inproc.Pair()
	defer x.Close()
	turn := func(l *inproc.Link) error {
		p := l.Reserve(64)
		if err := l.Commit(p[:64]); err != nil {
			return err
		}
		return l.Flush()
	}
	go func() {
		for {
			if _, err := y.Recv(); err != nil {
				return
			}
			turn(y)
		}
	}()
	b.ReportAllocs()
	for b.Loop() {
		turn(x)
		x.Recv()
	}
}
