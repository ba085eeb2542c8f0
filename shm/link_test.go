package shm

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"time"

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

// TestEverySizeReport64 sends pieces of every size that may matter, at uneven
// offsets, and checks what arrives as one stream.
func TestEverySizeReport64(t *testing.T) {
	const capacity = 4096
	a, b := pair(t, Size(capacity))
	var sizes []int
	for _, base := range []int{0, 2040, 4096, 2 * 2040, 8192, 3 * 2040, 12288} {
		for n := max(base-17, 0); n <= base+17; n++ {
			sizes = append(sizes, n)
		}
	}
	noise := make([]byte, 1<<16)
	rnd := rand.New(rand.NewPCG(64, 64))
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	sums := make(chan uint32, 1)
	go func() {
		sum := crc32.NewIEEE()
		for {
			p, err := b.Recv()
			if err != nil {
				break
			}
			sum.Write(p)
		}
		sums <- sum.Sum32()
	}()
	want := crc32.NewIEEE()
	rounds := 64
	if testing.Short() {
		rounds = 8
	}
	for round := range rounds {
		for _, n := range sizes {
			p := noise[round*8+n%8:][:n]
			if err := a.Send(p); err != nil {
				t.Fatal(err)
			}
			want.Write(p)
		}
		a.Send(noise[:8*(round%5)+1]) // else each round would begin at the same place
		want.Write(noise[:8*(round%5)+1])
	}
	a.Close()
	if got := <-sums; got != want.Sum32() {
		t.Fatalf("sum %08x, want %08x", got, want.Sum32())
	}
}

// TestTimePerByteDoesNotRiseWithSizeReport66 takes the quickest of some tries, and
// of many where the machine's neighbours disturb.
func TestTimePerByteDoesNotRiseWithSizeReport66(t *testing.T) {
	a, b := pair(t)
	received := make(chan int, 1)
	want := make(chan int, 1)
	go func() {
		for n := range want {
			for n > 0 {
				p, err := b.Recv()
				if err != nil {
					return
				}
				n -= len(p)
			}
			received <- n
		}
	}()
	defer close(want)
	best := time.Hour // for a MiB
	for size := 4; size <= 32<<20; size *= 8 {
		p := make([]byte, size)
		times := max(1<<20/size, 1)
		if size < 4096 {
			times = 4096
		}
		perMiB := time.Duration(1<<63 - 1)
		for try := 0; try < 5 || try < 100 && perMiB > 5*best; try++ {
			begun := time.Now()
			want <- size * times
			for range times {
				if err := a.Send(p); err != nil {
					t.Fatal(err)
				}
			}
			<-received
			took := time.Duration(float64(time.Since(begun)) / float64(size*times) * (1 << 20))
			perMiB = min(perMiB, took)
		}
		if perMiB > 20*best {
			t.Errorf("%d bytes: %v per MiB, smaller ones took %v", size, perMiB, best)
		}
		best = min(best, perMiB)
	}
}

func TestOnlyAPeerThatWasWokenAfterARestIsCold(t *testing.T) {
	var c cold
	for i, step := range []struct {
		rest  time.Duration
		wakes uint64
		cold  bool
	}{
		{time.Hour, 1, true},             // asleep
		{0, 1, false},                    // awake
		{rested / 1000, 2, false},        // asleep again already: about to be hot
		{rested + time.Minute, 3, true},  // left alone
		{rested + time.Minute, 3, false}, // awake by itself
	} {
		c.last -= step.rest
		if i == 2 {
			c.last = time.Since(epoch)
		}
		if c.flushed(step.wakes); c.is.Load() != step.cold {
			t.Errorf("step %d: cold is %v", i, !step.cold)
		}
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
