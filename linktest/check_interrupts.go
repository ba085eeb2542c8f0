package linktest

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/tenon-go/tenon"
)

func checkInterruptSticky(b *bench) {
	x, y := b.directLinks()
	interrupted := func(what string, wait func() error) {
		b.Helper()
		b.do(what, func() error {
			if err := wait(); !errors.Is(err, tenon.ErrInterrupted) {
				return fmt.Errorf("got %v, want ErrInterrupted", err)
			}
			return nil
		})
	}
	y.InterruptRecv()
	interrupted("WaitRecv after InterruptRecv", y.WaitRecv)
	x.InterruptSend()
	interrupted("WaitSend after InterruptSend", func() error { return x.WaitSend(1) })

	// An interrupt is used up by one wait, and moving does not need one.
	b.do("WaitSend after the interrupted one", func() error { return x.WaitSend(1) })
	y.InterruptRecv()
	x.InterruptSend()
	w, r := patternWriter{pattern: 27}, patternReader{pattern: 27}
	b.do("moving under a pending interrupt", func() error {
		if err := x.Commit(w.next(10)); err != nil {
			return err
		}
		if err := x.Flush(); err != nil {
			return err
		}
		return r.drain(func() ([]byte, error) {
			for {
				p, err := y.TryRecv()
				if p != nil || err != nil {
					return p, err
				}
				runtime.Gosched()
			}
		}, 10)
	})
	interrupted("WaitRecv after moving", y.WaitRecv)
	interrupted("WaitSend after moving", func() error { return x.WaitSend(1) })

	waiting := start("WaitRecv after the interrupted one", func() error {
		for {
			if err := y.WaitRecv(); err != nil {
				return fmt.Errorf("one interrupt ended more than one wait: %w", err)
			}
			if p, err := y.TryRecv(); p != nil || err != nil {
				return err
			}
		}
	})
	b.settled(waiting, func() int64 { return 0 })
	if waiting.finished() {
		b.finish(waiting)
		b.Fatal("something arrived although nothing was sent")
	}
	b.do("sending", func() error { return x.Send([]byte("x")) })
	b.finish(waiting)
}

func checkInterruptBlockedSend(b *bench) {
	x, y := b.directLinks()
	w, r := patternWriter{pattern: 28}, patternReader{pattern: 28}
	n := max(1, x.MaxReserve()/4)
	var sent atomic.Int64
	for round := range 3 {
		sending := start("sending until interrupted", func() error {
			for {
				p := x.Reserve(n)
				if p == nil {
					if err := x.WaitSend(n); err != nil {
						return err
					}
					continue
				}
				if err := x.Commit(append(p, w.next(n)...)); err != nil {
					return err
				}
				w.offset += int64(n)
				sent.Store(w.offset)
				if w.offset > bound {
					return fmt.Errorf("nobody receives, and the link has taken %d MiB", bound>>20)
				}
				if err := x.Flush(); err != nil {
					return err
				}
			}
		})
		b.settled(sending, sent.Load)
		x.InterruptSend()
		b.wait(sending)
		if !errors.Is(sending.err, tenon.ErrInterrupted) {
			b.Fatalf("round %d: a blocked WaitSend returned %v, want ErrInterrupted", round, sending.err)
		}
		b.do("receiving some of it", func() error {
			for r.offset < w.offset/2 {
				p, err := recvOne(y)
				if err != nil {
					return err
				}
				if err := r.check(p); err != nil {
					return err
				}
			}
			return nil
		})
	}
	b.do("receiving the rest", func() error {
		return r.drain(func() ([]byte, error) { return recvOne(y) }, w.offset)
	})
}

func checkInterruptRaces(b *bench) {
	const rounds = 250
	x, y := b.directLinks()
	w, r := patternWriter{pattern: 29}, patternReader{pattern: 29}
	interrupts := make(chan struct{})
	var stop atomic.Bool
	sending := start("sending", func() error {
		for !stop.Load() {
			if err := w.commit(x, 16, 16); err != nil {
				return err
			}
			if err := x.Flush(); err != nil {
				return err
			}
			runtime.Gosched()
		}
		return nil
	})
	interrupting := start("interrupting", func() error {
		for range rounds {
			y.InterruptRecv()
			<-interrupts
		}
		return nil
	})
	receiving := start("receiving, with every interrupt answered by ErrInterrupted", func() error {
		for got := 0; got < rounds; {
			switch err := y.WaitRecv(); {
			case errors.Is(err, tenon.ErrInterrupted):
				got++
				interrupts <- struct{}{}
			case err != nil:
				return err
			}
			p, err := y.TryRecv()
			if err != nil {
				return err
			}
			if err := r.check(p); err != nil {
				return err
			}
		}
		return nil
	})
	b.wait(receiving)
	stop.Store(true)
	rest := start("receiving the rest", func() error {
		for !sending.finished() || r.offset < w.offset {
			p, err := y.TryRecv()
			if err != nil {
				return err
			}
			if err := r.check(p); err != nil {
				return err
			}
			runtime.Gosched()
		}
		return nil
	})
	b.finish(receiving, interrupting, rest, sending)
}
