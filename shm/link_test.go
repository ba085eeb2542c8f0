package shm

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/tenon-go/tenon"
)

var _ tenon.DirectLink = (*Link)(nil)

func pair(t testing.TB, opts ...Option) (a, b *Link) {
	t.Helper()
	a, b, err := Pair(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		a.Close()
		b.Close()
	})
	return a, b
}

func TestEchoOfAllSizes(t *testing.T) {
	a, b := pair(t, Size(4096))
	go func() {
		for {
			p, err := b.Recv()
			if err != nil {
				return
			}
			if err := b.Send(append([]byte(nil), p...)); err != nil {
				return
			}
		}
	}()
	for _, n := range []int{1, 7, 8, 9, 2039, 2040, 2041, 4095, 4096, 4097, 3*4096 + 1} {
		want := make([]byte, n)
		for i := range want {
			want[i] = byte(i * 7)
		}
		sent := make(chan error, 1)
		go func() { sent <- a.Send(want) }()
		var got []byte
		for len(got) < n {
			p, err := a.Recv()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, p...)
		}
		if err := <-sent; err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

func TestCloseGivesTheRestAndThenEOF(t *testing.T) {
	a, b := pair(t)
	if err := a.Send([]byte("last words")); err != nil {
		t.Fatal(err)
	}
	a.Close()
	p, err := b.Recv()
	if err != nil || string(p) != "last words" {
		t.Fatalf("%q, %v", p, err)
	}
	if _, err := b.Recv(); err != io.EOF {
		t.Fatalf("after the end: %v", err)
	}
	if err := b.Send([]byte("too late")); err != io.EOF {
		t.Fatalf("Send to a closed peer: %v", err)
	}
	if _, err := a.Recv(); !errors.Is(err, net.ErrClosed) {
		t.Fatalf("Recv after own Close: %v", err)
	}
	if err := a.Send(nil); !errors.Is(err, net.ErrClosed) {
		t.Fatalf("Send after own Close: %v", err)
	}
}

func TestInterruptsAreStickyAndLoseNothing(t *testing.T) {
	a, b := pair(t, Size(4096))
	b.InterruptRecv()
	if _, err := b.Recv(); err != tenon.ErrInterrupted {
		t.Fatal(err)
	}
	waiting := make(chan error)
	go func() {
		_, err := b.Recv()
		waiting <- err
	}()
	b.InterruptRecv()
	if err := <-waiting; err != tenon.ErrInterrupted {
		t.Fatal(err)
	}
	for a.Reserve(2000) != nil {
		if err := a.Commit(make([]byte, 2000)); err != nil {
			t.Fatal(err)
		}
	}
	go func() { waiting <- a.WaitSend(2000) }()
	a.InterruptSend()
	if err := <-waiting; err != tenon.ErrInterrupted {
		t.Fatal(err)
	}
	// Send goes on, and leaves the interrupt to the next WaitSend.
	a.InterruptSend()
	go func() { waiting <- a.Send(make([]byte, 10_000)) }()
	for got := 0; got < 14_000; {
		p, err := b.Recv()
		if err != nil {
			t.Fatal(err)
		}
		got += len(p)
	}
	if err := <-waiting; err != nil {
		t.Fatal(err)
	}
	if err := a.WaitSend(1); err != tenon.ErrInterrupted {
		t.Fatal(err)
	}
}

func BenchmarkPingPong(b *testing.B) {
	x, y := pair(b)
	go func() {
		for {
			p, err := y.Recv()
			if err != nil {
				return
			}
			y.Send(p[:len(p):len(p)])
		}
	}()
	msg := make([]byte, 8)
	for b.Loop() {
		x.Send(msg)
		x.Recv()
	}
}
