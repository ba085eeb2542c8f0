package linktest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"sync/atomic"

	"github.com/tenon-go/tenon"
)

func checkDirectEnd(b *bench) {
	x, y := b.directLinks()
	w, r := patternWriter{pattern: 34}, patternReader{pattern: 34}
	const all = 50_000
	closing := start("sending and closing", func() error {
		for w.offset < all {
			if err := w.commit(x, 1000, 1000); err != nil {
				return err
			}
		}
		err := x.Flush()
		x.Close()
		return err
	})
	b.settled(closing, func() int64 { return 0 })
	b.finish(closing, start("receiving after the Close", func() error {
		return r.drainToEnd(func() ([]byte, error) { return recvOne(y) }, all)
	}))
	b.do("waiting after the end", func() error {
		if err := y.WaitRecv(); err != nil && err != io.EOF {
			return fmt.Errorf("WaitRecv: got %v, want nil or io.EOF", err)
		}
		if p := x.Reserve(1); p != nil {
			return errors.New("Reserve after Close gave memory, want nil")
		}
		for what, err := range map[string]error{
			"Commit":   x.Commit([]byte("x")),
			"Flush":    x.Flush(),
			"WaitSend": x.WaitSend(1),
			"WaitRecv": x.WaitRecv(),
		} {
			if !errors.Is(err, net.ErrClosed) {
				return fmt.Errorf("%s after Close: got %v, want net.ErrClosed", what, err)
			}
		}
		if _, err := x.TryRecv(); !errors.Is(err, net.ErrClosed) {
			return fmt.Errorf("TryRecv after Close: got %v, want net.ErrClosed", err)
		}
		x.InterruptRecv() // harmless
		x.InterruptSend()
		return nil
	})
}

func checkDirectCloseEndsWaits(b *bench) {
	x, y := b.directLinks()
	n := max(1, x.MaxReserve()/4)
	blocked := func(what string, l tenon.DirectLink) *task {
		var sent atomic.Int64
		k := start(what, func() error {
			for {
				p, err := reserve(l, n)
				if err != nil {
					return err
				}
				if err := l.Commit(append(p, make([]byte, n)...)); err != nil {
					return err
				}
				if err := l.Flush(); err != nil {
					return err
				}
				sent.Add(1)
			}
		})
		b.settled(k, sent.Load)
		return k
	}
	here := blocked("WaitSend on the side that closes", x)
	there := blocked("WaitSend on the other side", y)
	b.close(x)
	b.wait(here, there)
	if !errors.Is(here.err, net.ErrClosed) {
		b.Errorf("WaitSend on the side that closes: got %v, want net.ErrClosed", here.err)
	}
	if errors.Is(there.err, net.ErrClosed) {
		b.Errorf("WaitSend on the other side: got %v, which says that this side has closed", there.err)
	}

	x, y = b.directLinks()
	waiting := []*task{
		start("WaitRecv on the side that closes", x.WaitRecv),
		start("WaitRecv on the other side", func() error {
			_, err := recvOne(y)
			return err
		}),
	}
	b.settled(waiting[0], func() int64 { return 0 })
	b.close(x)
	b.wait(waiting...)
	if !errors.Is(waiting[0].err, net.ErrClosed) {
		b.Errorf("WaitRecv on the side that closes: got %v, want net.ErrClosed", waiting[0].err)
	}
	if waiting[1].err != io.EOF {
		b.Errorf("the receiver on the other side: got %v, want io.EOF", waiting[1].err)
	}
}

func checkReservationAcrossClose(b *bench) {
	for round := range 30 {
		x, y := b.pair(b.T)
		dx := x.(tenon.DirectLink)
		p, err := reserve(dx, 4096)
		if err != nil {
			b.Fatal(err)
		}
		closing := []*task{start("Close", x.Close), start("Close", y.Close)}
		for range 1 + round%3 {
			p = append(p[:0], bytes.Repeat([]byte{byte(round)}, 4096)...)
			runtime.Gosched()
		}
		b.wait(closing...)
		p = append(p[:0], bytes.Repeat([]byte{byte(round)}, 4096)...)
		if err := dx.Commit(p); !errors.Is(err, net.ErrClosed) {
			b.Fatalf("Commit after Close: got %v, want net.ErrClosed", err)
		}
	}
}
