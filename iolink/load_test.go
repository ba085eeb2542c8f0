package iolink_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/iolink"
)

func sendN(l *iolink.Link, piece, n int) error {
	for sent := 0; sent < n; {
		p := l.Reserve(piece)
		if p == nil {
			if err := l.WaitSend(piece); err != nil {
				return err
			}
			continue
		}
		if err := errors.Join(l.Commit(p[:piece]), l.Flush()); err != nil {
			return err
		}
		sent += piece
	}
	return nil
}

func discardN(l *iolink.Link, n int) error {
	for got := 0; got < n; {
		p, err := l.Recv()
		if err != nil {
			return fmt.Errorf("after %d of %d bytes: %w", got, n, err)
		}
		got += len(p)
	}
	return nil
}

func all(t *testing.T, what string, tasks ...func() error) {
	t.Helper()
	errs := make(chan error, len(tasks))
	for _, f := range tasks {
		go func() { errs <- f() }()
	}
	within(t, 2*patience, what, func() {
		for range tasks {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestManyMessagesThroughSmallSocketBuffersReport27(t *testing.T) {
	x, y := connected(t, "unix")
	for _, c := range []net.Conn{x, y} {
		c.(*net.UnixConn).SetReadBuffer(4096)
		c.(*net.UnixConn).SetWriteBuffer(4096)
	}
	a, b := iolink.New(x), iolink.New(y)
	defer a.Close()
	defer b.Close()
	const n = 10_000 * 100
	all(t, "exchanging 10,000 messages each way",
		func() error { return sendN(a, 100, n) },
		func() error { return sendN(b, 100, n) },
		func() error { return discardN(a, n) },
		func() error { return discardN(b, n) },
	)
}

func TestBothSidesStreamAtEachOtherReport29(t *testing.T) {
	n := 16 << 20
	if os.Getenv("TENON_SOAK") != "" {
		n = 100 << 20
	}
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t)
			defer a.Close()
			defer b.Close()
			all(t, "streaming both ways",
				func() error { return sendN(a, 64<<10, n) },
				func() error { return sendN(b, 64<<10, n) },
				func() error { return discardN(a, n) },
				func() error { return discardN(b, n) },
			)
		})
	}
}

func heap() int {
	runtime.GC()
	runtime.GC() // the first one only moves what is pooled aside
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestASleepingConsumerKeepsMemoryFlatReport61Report65(t *testing.T) {
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t)
			defer a.Close()
			defer b.Close()
			before := heap()
			full := make(chan error, 1)
			go func() { full <- sendN(a, 10_000, 1<<40) }()
			time.Sleep(50 * time.Millisecond) // a sleeping consumer is what this is about
			a.InterruptSend()
			within(t, patience, "the interrupted sender", func() {
				if err := <-full; !errors.Is(err, tenon.ErrInterrupted) {
					t.Errorf("got %v, want ErrInterrupted", err)
				}
			})
			if grown := heap() - before; grown > 1<<20 {
				t.Errorf("the heap has grown by %d KiB", grown>>10)
			}
		})
	}
}

func TestAnIdleLinkKeepsLittleMemoryAfterABurst(t *testing.T) {
	const links = 64
	before := heap()
	for range links / 2 {
		a, b, err := iolink.Pair()
		if err != nil {
			t.Skip(err)
		}
		defer a.Close()
		defer b.Close()
		const n = 1 << 20
		all(t, "a burst each way",
			func() error { return sendN(a, 64<<10, n) },
			func() error { return sendN(b, 64<<10, n) },
			func() error { return discardN(a, n) },
			func() error { return discardN(b, n) },
		)
	}
	if kept := (heap() - before) / links; kept > 68<<10 {
		t.Errorf("an idle link keeps %d KiB, want at most 64 and what it is made of", kept>>10)
	}
}

func TestTimePerByteDoesNotRiseWithSizeReport66(t *testing.T) {
	a, b, err := iolink.Pair()
	if err != nil {
		t.Skip(err)
	}
	defer a.Close()
	defer b.Close()
	perByte := func(size, times int) float64 {
		p := make([]byte, size)
		best := time.Hour
		for range 3 {
			start := time.Now()
			all(t, "sending", func() error {
				for range times {
					if err := a.Send(p); err != nil {
						return err
					}
				}
				return nil
			}, func() error { return discardN(b, size*times) })
			best = min(best, time.Since(start))
		}
		return float64(best) / float64(size*times)
	}
	base := perByte(4, 4000)
	for _, size := range []int{64, 1 << 10, 16 << 10, 256 << 10, 4 << 20, 32 << 20} {
		now := perByte(size, max(1, min(4000, 4<<20/size)))
		t.Logf("%8d bytes: %.3f ns per byte", size, now)
		if now > 3*base { // far from the truth, because the machine may be busy
			t.Errorf("a byte takes %.2f ns in messages of %d bytes, %.2f ns in smaller ones", now, size, base)
		}
		base = min(base, now*10)
	}
}

const pingSize = 64

func build(l *iolink.Link) error {
	p := l.Reserve(pingSize)
	if err := l.Commit(p[:pingSize]); err != nil {
		return err
	}
	return l.Flush()
}

func TestMessagesAllocateNothing(t *testing.T) {
	a, b, err := iolink.Pair()
	if err != nil {
		t.Skip(err)
	}
	defer a.Close()
	defer b.Close()
	allocs := testing.AllocsPerRun(1000, func() {
		if err := errors.Join(build(a), discardN(b, pingSize)); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 0 {
		t.Errorf("%v allocations per message", allocs)
	}
}

func TestManySmallMessagesLeaveInOneWrite(t *testing.T) {
	a, b, err := iolink.Pair()
	if err != nil {
		t.Skip(err)
	}
	defer a.Close()
	defer b.Close()
	for range 100 {
		if err := a.Commit([]byte("12345678")); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Flush(); err != nil {
		t.Fatal(err)
	}
	if p, err := b.Recv(); len(p) != 800 || err != nil {
		t.Errorf("the first read brought %d bytes and %v, want all 800", len(p), err)
	}
}

func TestKindNamesTheStream(t *testing.T) {
	want := map[string]string{
		"unix socket pair": "unix", "unix": "unix", "tcp": "tcp", "tls": "tls",
		"pipes": "pipe", "net.Pipe": "stream", "io.Pipe": "stream",
	}
	for name, pair := range pairs {
		a, b := pair(t)
		if a.Kind() != want[name] || b.Kind() != want[name] {
			t.Errorf("%s: %q and %q, want %q", name, a.Kind(), b.Kind(), want[name])
		}
		a.Close()
		b.Close()
	}
}
