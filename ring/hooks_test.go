package ring

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"
)

func fill(t *testing.T, w *Writer) {
	t.Helper()
	for ok := true; ok; {
		var err error
		if ok, err = w.TryWrite(make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOnWaitCanMakeRoom(t *testing.T) {
	var r *Reader
	w, other := pair(t, MinCapacity, OnWait(func() {
		if _, err := r.Drain(func([]byte) bool { return true }); err != nil {
			t.Error(err)
		}
	}))
	r = other
	for range 1000 { // one goroutine drives both sides
		if err := w.Write(context.Background(), make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriteTimesOut(t *testing.T) {
	w, _ := pair(t, MinCapacity, Timeout(time.Millisecond))
	fill(t, w)
	if err := w.Write(context.Background(), make([]byte, 100)); !errors.Is(err, ErrTimeout) {
		t.Fatal(err)
	}
}

func TestWriteEndsWithItsContext(t *testing.T) {
	w, r := pair(t, MinCapacity)
	fill(t, w)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(time.Millisecond, cancel)
	if err := w.Write(ctx, make([]byte, 100)); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	r.Drain(func([]byte) bool { return true })
	r.TryRead()
	if ok, err := w.TryWrite(make([]byte, 100)); !ok || err != nil {
		t.Fatalf("the ring is not intact: %v, %v", ok, err)
	}
}

func TestLongWaitIsLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	w, _ := pair(t, MinCapacity, Logger(slog.New(slog.NewTextHandler(&log, nil))), Timeout(longWait*2+longWait/10))
	fill(t, w)
	if err := w.Write(context.Background(), make([]byte, 100)); !errors.Is(err, ErrTimeout) {
		t.Fatal(err)
	}
	if n := strings.Count(log.String(), "waits for the reader"); n != 1 {
		t.Fatalf("logged %d times: %s", n, &log)
	}
}

func TestNeverSleepDeliversToo(t *testing.T) {
	w, r := pair(t, MinCapacity, WaitBy(NeverSleep), Spin(0))
	fed := make(chan error, 1)
	go func() { fed <- feed(w, 2000) }()
	if err := errors.Join(verify(r, 2000), <-fed); err != nil {
		t.Fatal(err)
	}
}

func TestDrainStopsAtItsLimitsAndEarly(t *testing.T) {
	w, r := pair(t, 64<<10, DrainLimit(10, 500))
	if err := w.Batch(func() error {
		for range 100 {
			if _, err := w.TryWrite(make([]byte, 20)); err != nil {
				return err
			}
		}
		for range 10 {
			if _, err := w.TryWrite(make([]byte, 200)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	all := func([]byte) bool { return true }
	if n, err := r.Drain(all); n != 10 || err != nil {
		t.Fatalf("records: %d, %v", n, err)
	}
	if n, err := r.Drain(func([]byte) bool { return false }); n != 1 || err != nil {
		t.Fatalf("early: %d, %v", n, err)
	}
	for range 89 {
		r.TryRead()
	}
	if n, err := r.Drain(all); n != 3 || err != nil {
		t.Fatalf("bytes: %d, %v", n, err)
	}
}

func TestBatchFlushesAlsoWhenItPanics(t *testing.T) {
	w, r := pair(t, MinCapacity)
	func() {
		defer func() { recover() }()
		w.Batch(func() error {
			w.TryWrite([]byte("kept"))
			panic("no")
		})
	}()
	if p, err := r.TryRead(); string(p) != "kept" {
		t.Fatalf("%q, %v", p, err)
	}
}

func TestEachSideLearnsThatTheOtherClosed(t *testing.T) {
	w, r := pair(t, MinCapacity)
	w.TryWrite([]byte("last"))
	w.Flush()
	w.TryWrite([]byte("not flushed"))
	w.Close()
	if err := w.Flush(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("own Close: %v", err)
	}
	if p, err := r.Read(context.Background()); string(p) != "last" {
		t.Errorf("%q, %v", p, err)
	}
	if _, err := r.Read(context.Background()); err != io.EOF {
		t.Errorf("reader: %v", err)
	}

	w, r = pair(t, MinCapacity)
	fill(t, w)
	wrote := make(chan error)
	go func() { wrote <- w.Write(context.Background(), make([]byte, 100)) }()
	r.Close()
	if err := <-wrote; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("writer: %v", err)
	}
	if _, err := r.TryRead(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("own Close: %v", err)
	}
}

func TestFullRingTellsByStatsReport62(t *testing.T) {
	w, r := pair(t, MinCapacity, Timeout(time.Millisecond))
	fill(t, w)
	w.Write(context.Background(), make([]byte, 100))
	if s := w.Stats(); s.Waits != 1 || s.Publications != 1 || s.Records == 0 || s.Bytes != 100*s.Records {
		t.Errorf("%+v", s)
	}
	if w.Available() >= 108 || r.Buffered() < MinCapacity-108 {
		t.Errorf("available %d, buffered %d", w.Available(), r.Buffered())
	}
}

func TestReadingAndWritingAllocateNothing(t *testing.T) {
	w, r := pair(t, MinCapacity)
	p := make([]byte, 64)
	ctx := context.Background()
	if n := testing.AllocsPerRun(1000, func() {
		w.Write(ctx, p)
		w.Flush()
		r.Read(ctx)
	}); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}
