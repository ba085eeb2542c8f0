package linktest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
)

var linkChecks = []check{
	{"bytes arrive in order and without loss", checkOrder},
	{"borders carry no meaning", checkBorders},
	{"a message sent arrives without another one behind it", checkPingPong},
	{"both directions at once", checkDuplex},
	{"Close ends the waits of both sides", checkCloseEndsWaits}, // those below close too
	{"a sleeping consumer holds the producer up", checkBackPressure},
	{"borrowed memory stays as it is, also across Close", checkBorrowed},
	{"what was sent before Close arrives, then io.EOF", checkEnd},
	{"Close may be repeated from many goroutines", checkCloseRepeated},
}

// sizes returns piece sizes up to three times the capacity, the interesting ones
// first.
func sizes(l tenon.Link, rng *rand.Rand) []int {
	capacity := 1 << 20
	if d, ok := l.(tenon.DirectLink); ok {
		capacity = d.MaxReserve()
	}
	list := []int{0, 1, 2, 3, 7, 8, 9, 0, 63, 64, 65, 4095, 4096, 4097, 65535, 65536, 65537}
	for _, n := range []int{capacity / 2, capacity, 2 * capacity, 3 * capacity} {
		list = append(list, n-1, n, n+1)
	}
	for range 100 { // every order of magnitude is equally likely
		list = append(list, rng.IntN(1<<rng.IntN(17)+1))
	}
	for range 3 {
		list = append(list, rng.IntN(3*capacity+2))
	}
	return list
}

func total(sizes []int) (sum int64) {
	for _, n := range sizes {
		sum += int64(n)
	}
	return sum
}

// sendAll sends the pattern in pieces of the given sizes. It overwrites every
// piece after Send, to which it belongs no longer.
func sendAll(l tenon.Link, s pattern, sizes []int, sent *atomic.Int64) error {
	var buf []byte
	var offset int64
	for _, n := range sizes {
		if cap(buf) < n {
			buf = make([]byte, n)
		}
		p := buf[:n]
		s.fill(p, offset)
		if err := l.Send(p); err != nil {
			return fmt.Errorf("Send of %d bytes after %d: %w", n, offset, err)
		}
		clear(p)
		offset += int64(n)
		if sent != nil {
			sent.Store(offset)
		}
	}
	return nil
}

func checkOrder(b *bench) {
	from, to := b.links()
	list := sizes(from, rand.New(rand.NewPCG(1, 1)))
	r := patternReader{pattern: 1}
	b.finish(
		start("receiving", func() error { return r.drain(to.Recv, total(list)) }),
		start("sending", func() error { return sendAll(from, 1, list, nil) }),
	)
}

func checkBorders(b *bench) {
	from, to := b.links()
	const message, chunkings = 512, 100
	rng := rand.New(rand.NewPCG(2, 2))
	var list []int
	for range chunkings {
		most := 1 << (1 + rng.IntN(9))
		for left := message; left > 0; {
			n := min(left, 1+rng.IntN(most))
			list = append(list, n)
			left -= n
		}
	}
	r := patternReader{pattern: 2}
	b.finish(
		start("receiving", func() error { return r.drain(to.Recv, total(list)) }),
		start("sending", func() error { return sendAll(from, 2, list, nil) }),
	)
}

func checkPingPong(b *bench) {
	from, to := b.links()
	const rounds = 500
	echo := start("echoing", func() error {
		for got := int64(0); got < 8*rounds; {
			p, err := to.Recv()
			if err != nil {
				return err
			}
			got += int64(len(p))
			if err := to.Send(p); err != nil {
				return err
			}
		}
		return nil
	})
	ask := start("asking", func() error {
		r := patternReader{pattern: 3}
		p := make([]byte, 8)
		for i := range int64(rounds) {
			pattern(3).fill(p, 8*i)
			if err := from.Send(p); err != nil {
				return err
			}
			if err := r.drain(from.Recv, 8*(i+1)); err != nil {
				return err
			}
		}
		return nil
	})
	b.finish(ask, echo)
}

func checkDuplex(b *bench) {
	x, y := b.links()
	list := make([]int, 64)
	for i := range list {
		list[i] = 64<<10 + i
	}
	toY, toX := patternReader{pattern: 4}, patternReader{pattern: 5}
	b.finish(
		start("sending there", func() error { return sendAll(x, 4, list, nil) }),
		start("sending back", func() error { return sendAll(y, 5, list, nil) }),
		start("receiving there", func() error { return toY.drain(y.Recv, total(list)) }),
		start("receiving back", func() error { return toX.drain(x.Recv, total(list)) }),
	)
}

// bound is what a link may hold at most on the way, the system's own buffers
// included.
const bound = 64 << 20

func checkBackPressure(b *bench) {
	from, to := b.links()
	var sent atomic.Int64
	var enough atomic.Bool
	sending := start("sending", func() error {
		p := make([]byte, 64<<10)
		for !enough.Load() {
			if sent.Load() > bound {
				return fmt.Errorf("nobody receives, and the link has taken %d MiB: it must make the sender wait", bound>>20)
			}
			pattern(6).fill(p, sent.Load())
			if err := from.Send(p); err != nil {
				return err
			}
			sent.Add(int64(len(p)))
		}
		from.Close()
		return nil
	})
	b.settled(sending, sent.Load)
	enough.Store(true)
	if sending.finished() {
		b.finish(sending)
	}
	r := patternReader{pattern: 6}
	receiving := start("receiving", func() error {
		for {
			p, err := to.Recv()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if err := r.check(p); err != nil {
				return err
			}
		}
	})
	b.finish(receiving, sending)
	if r.offset != sent.Load() {
		b.Fatalf("%d bytes arrived of %d", r.offset, sent.Load())
	}
}

func checkBorrowed(b *bench) {
	rounds := 60
	if os.Getenv("TENON_SOAK") != "" {
		rounds = 10_000
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for round := range rounds {
		checkBorrowedOnce(b, round, 1+rng.IntN(40_000))
	}
}

// checkBorrowedOnce lets both sides hold a slice while both sides send more and
// close.
func checkBorrowedOnce(b *bench, round, size int) {
	x, y := b.pair(b.T)
	message := make([]byte, size)
	pattern(round).fill(message, 0)
	var heldX, heldY []byte
	receive := func(l tenon.Link, held *[]byte) func() error {
		return func() (err error) { *held, err = l.Recv(); return err }
	}
	exchange := []*task{
		start("sending", func() error { return x.Send(message) }),
		start("sending", func() error { return y.Send(message) }),
	}
	b.finish(start("receiving", receive(x, &heldX)), start("receiving", receive(y, &heldY)))
	more := bytes.Repeat([]byte{0xAA}, size)
	sending := []*task{
		start("sending while the other side holds a slice", func() error { <-exchange[0].done; return x.Send(more) }),
		start("sending while the other side holds a slice", func() error { <-exchange[1].done; return y.Send(more) }),
	}
	for range (round % 3) * 10 { // so that Close meets them at different places
		runtime.Gosched()
	}
	first, second := x, y
	if round%2 == 0 {
		first, second = y, x
	}
	b.close(first)
	intact := func(when string) {
		b.Helper()
		for side, held := range [][]byte{heldX, heldY} {
			if !bytes.Equal(held, message[:len(held)]) {
				b.Fatalf("round %d, side %d: a slice from Recv changed while it was borrowed, %s", round, side, when)
			}
		}
	}
	intact("after the first Close")
	b.close(second)
	b.wait(append(sending, exchange...)...)
	intact("after both sides were closed")
}

func sendAndClose(l tenon.Link, size int) func() error {
	return func() error {
		if err := sendAll(l, 8, []int{size}, nil); err != nil {
			return err
		}
		l.Close()
		return nil
	}
}

func checkEnd(b *bench) {
	for _, size := range []int{0, 1, 1000, 60_000} {
		from, to := b.links()
		closing := start("sending and closing", sendAndClose(from, size))
		b.settled(closing, func() int64 { return 0 }) // a link without buffers waits for the receiver
		r := patternReader{pattern: 8}
		b.finish(start("receiving after the Close", func() error { return r.drainToEnd(to.Recv, int64(size)) }), closing)
		b.do("receiving again after the end", func() error {
			if _, err := to.Recv(); err != io.EOF {
				return fmt.Errorf("got %v, want io.EOF again", err)
			}
			return nil
		})
	}
	for _, size := range []int{1, 300_000, 3 << 20} {
		from, to := b.links()
		r := patternReader{pattern: 8}
		b.finish(
			start("receiving", func() error { return r.drainToEnd(to.Recv, int64(size)) }),
			start("sending and closing", sendAndClose(from, size)),
		)
	}
}

// sendForever sends until that fails.
func sendForever(l tenon.Link, sent *atomic.Int64) error {
	p := make([]byte, 32<<10)
	for {
		if err := l.Send(p); err != nil {
			return err
		}
		sent.Add(int64(len(p)))
	}
}

func recvForever(l tenon.Link) error {
	for {
		if _, err := l.Recv(); err != nil {
			return err
		}
	}
}

func checkCloseEndsWaits(b *bench) {
	b.brief = true
	b.Run("Recv", func(t *testing.T) {
		b := b.in(t)
		x, y := b.links()
		here := start("Recv on the side that closes", func() error { return recvForever(x) })
		there := start("Recv on the other side", func() error { return recvForever(y) })
		time.Sleep(2 * time.Millisecond) // so that they usually wait already; either order must work
		b.close(x)
		b.wait(here, there)
		if !errors.Is(here.err, net.ErrClosed) {
			b.Errorf("Recv on the side that closes: got %v, want net.ErrClosed", here.err)
		}
		if there.err != io.EOF {
			b.Errorf("Recv on the other side: got %v, want io.EOF", there.err)
		}
	})
	b.Run("Send on the side that closes", func(t *testing.T) {
		b := b.in(t)
		x, _ := b.links()
		var sent atomic.Int64
		sending := start("a blocked Send", func() error { return sendForever(x, &sent) })
		b.settled(sending, sent.Load)
		b.close(x)
		b.wait(sending)
		if !errors.Is(sending.err, net.ErrClosed) {
			b.Errorf("got %v, want net.ErrClosed", sending.err)
		}
	})
	b.Run("Send on the other side", func(t *testing.T) {
		b := b.in(t)
		x, y := b.links()
		var sent atomic.Int64
		sending := start("a blocked Send whose peer closes", func() error { return sendForever(y, &sent) })
		b.settled(sending, sent.Load)
		b.close(x)
		b.wait(sending)
		if errors.Is(sending.err, net.ErrClosed) {
			b.Errorf("got %v, which says that this side has closed", sending.err)
		}
	})
}

func checkCloseRepeated(b *bench) {
	x, y := b.links()
	var closing []*task
	for range 8 {
		closing = append(closing,
			start("Close", x.Close),
			start("Close", y.Close))
	}
	b.wait(closing...)
	b.close(x)
	for _, l := range []tenon.Link{x, y} {
		b.do("Send after Close", func() error {
			if err := l.Send([]byte("x")); !errors.Is(err, net.ErrClosed) {
				return fmt.Errorf("got %v, want net.ErrClosed", err)
			}
			return nil
		})
		b.do("Recv after Close", func() error {
			if _, err := l.Recv(); !errors.Is(err, net.ErrClosed) {
				return fmt.Errorf("got %v, want net.ErrClosed", err)
			}
			return nil
		})
	}
}
