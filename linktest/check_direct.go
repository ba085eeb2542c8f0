package linktest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"

	"github.com/tenon-go/tenon"
)

var directChecks = []check{
	{"Reserve gives length 0 and the capacity asked for", checkReserve},
	{"Commit takes what append moved elsewhere", checkCommitMoved},
	{"a reservation not committed sends nothing", checkDropped},
	{"nothing is visible before Flush", checkFlushPublishes},
	{"TryRecv alone is enough to receive", checkPolling},
	{"a piece above MaxReserve is refused", checkTooLarge},
	{"ErrFull takes nothing", checkFull},
	{"WaitSend publishes before it waits", checkWaitSendPublishes},
	{"an interrupt reaches this wait or the next one", checkInterruptSticky},
	{"a blocked sender can be interrupted and goes on", checkInterruptBlockedSend},
	{"no interrupt is lost, and no byte through one", checkInterruptRaces},
	{"any mix of methods keeps the stream", checkMix},
	{"what was flushed before Close arrives, then io.EOF", checkDirectEnd},
	{"Close ends WaitRecv and WaitSend of both sides", checkDirectCloseEndsWaits},
	{"a reservation stays writable across Close", checkReservationAcrossClose},
}

// recvOne takes the next chunk by way of TryRecv and WaitRecv.
func recvOne(l tenon.DirectLink) ([]byte, error) {
	for {
		p, err := l.TryRecv()
		if p != nil || err != nil {
			return p, err
		}
		if err := l.WaitRecv(); err != nil && !errors.Is(err, tenon.ErrInterrupted) {
			return nil, err
		}
	}
}

// reserve waits for room.
func reserve(l tenon.DirectLink, n int) ([]byte, error) {
	for {
		if p := l.Reserve(n); p != nil {
			return p, nil
		}
		if err := l.WaitSend(n); err != nil && !errors.Is(err, tenon.ErrInterrupted) {
			return nil, err
		}
	}
}

// A patternWriter builds a pattern in place.
type patternWriter struct {
	pattern pattern
	offset  int64
	buf     []byte
}

func (w *patternWriter) next(n int) []byte {
	if cap(w.buf) < n {
		w.buf = make([]byte, n)
	}
	p := w.buf[:n]
	w.pattern.fill(p, w.offset)
	return p
}

// commit reserves room for r bytes and commits n of the pattern.
func (w *patternWriter) commit(l tenon.DirectLink, r, n int) error {
	p, err := reserve(l, r)
	if err != nil {
		return err
	}
	p = append(p, w.next(n)...)
	for {
		err = l.Commit(p)
		if err != tenon.ErrFull {
			break
		}
		if err := l.WaitSend(len(p)); err != nil && !errors.Is(err, tenon.ErrInterrupted) {
			return err
		}
	}
	if err == nil {
		w.offset += int64(n)
	}
	return err
}

func checkReserve(b *bench) {
	x, _ := b.directLinks()
	most := x.MaxReserve()
	if most < 1 {
		b.Fatalf("MaxReserve is %d", most)
	}
	for _, n := range []int{1, 2, 7, 8, 9, 1000, most - 1, most} {
		b.do(fmt.Sprintf("Reserve(%d) on an empty link", n), func() error {
			if err := x.WaitSend(n); err != nil {
				return fmt.Errorf("WaitSend: %w", err)
			}
			p := x.Reserve(n)
			if p == nil || len(p) != 0 || cap(p) != n {
				return fmt.Errorf("got length %d, capacity %d (nil: %v)", len(p), cap(p), p == nil)
			}
			return nil
		})
	}
	if p := x.Reserve(most + 1); p != nil {
		b.Errorf("Reserve(MaxReserve+1) gave %d bytes, want nil", cap(p))
	}
}

func checkCommitMoved(b *bench) {
	x, y := b.directLinks()
	w, r := patternWriter{pattern: 20}, patternReader{pattern: 20}
	for _, c := range []struct{ reserve, commit int }{{1, 2}, {8, 9}, {10, 5000}, {100, 0}, {1, x.MaxReserve()}, {16, 16}, {64, 3}} {
		sending := start(fmt.Sprintf("reserving %d and committing %d bytes", c.reserve, c.commit), func() error {
			if err := w.commit(x, c.reserve, c.commit); err != nil {
				return err
			}
			return x.Flush()
		})
		b.finish(sending, start("receiving", func() error {
			return r.drain(func() ([]byte, error) { return recvOne(y) }, r.offset+int64(c.commit))
		}))
	}
	b.do("committing a slice that was never reserved", func() error {
		p := w.next(500)
		if err := x.Commit(p); err != nil {
			return err
		}
		for i := range p {
			p[i] = 0xEE // it was copied
		}
		return x.Flush()
	})
	b.do("receiving", func() error {
		return r.drain(func() ([]byte, error) { return recvOne(y) }, r.offset+500)
	})
}

func checkDropped(b *bench) {
	x, y := b.directLinks()
	w, r := patternWriter{pattern: 21}, patternReader{pattern: 21}
	b.do("dropping reservations", func() error {
		for i := range 20 {
			p, err := reserve(x, 100)
			if err != nil {
				return err
			}
			_ = append(p, "this must not be sent"...)
			if i%3 == 0 {
				if err := x.Flush(); err != nil {
					return err
				}
			}
			if err := w.commit(x, 50, 40); err != nil {
				return err
			}
		}
		return x.Flush()
	})
	b.do("receiving", func() error {
		return r.drain(func() ([]byte, error) { return recvOne(y) }, w.offset)
	})
	b.do("dropping a reservation between Commit and Flush", func() error {
		if err := w.commit(x, 5000, 5000); err != nil {
			return err
		}
		x.Reserve(x.MaxReserve())
		return x.Flush()
	})
	b.do("receiving what was committed before the dropped reservation", func() error {
		return r.drain(func() ([]byte, error) { return recvOne(y) }, w.offset)
	})
}

func checkFlushPublishes(b *bench) {
	x, y := b.directLinks()
	w, r := patternWriter{pattern: 22}, patternReader{pattern: 22}
	b.do("committing", func() error { return w.commit(x, 100, 100) })
	for range 100 {
		if p, err := y.TryRecv(); p != nil || err != nil {
			b.Fatalf("TryRecv before Flush: %d bytes, error %v", len(p), err)
		}
		runtime.Gosched()
	}
	b.do("Flush", x.Flush)
	b.do("Flush with nothing to do", x.Flush)
	b.do("receiving", func() error {
		return r.drain(func() ([]byte, error) { return recvOne(y) }, 100)
	})
}

func checkPolling(b *bench) {
	x, y := b.directLinks()
	w, r := patternWriter{pattern: 23}, patternReader{pattern: 23}
	b.do("polling", func() error {
		for range 20 {
			if err := w.commit(x, 100, 100); err != nil {
				return err
			}
			if err := x.Flush(); err != nil {
				return err
			}
			for r.offset < w.offset {
				p, err := y.TryRecv()
				if err != nil {
					return err
				}
				if err := r.check(p); err != nil {
					return err
				}
				runtime.Gosched()
			}
		}
		return nil
	})
}

func checkTooLarge(b *bench) {
	x, y := b.directLinks()
	most := x.MaxReserve()
	b.do("WaitSend(MaxReserve+1)", func() error {
		if err := x.WaitSend(most + 1); !errors.Is(err, tenon.ErrTooLarge) {
			return fmt.Errorf("got %v, want ErrTooLarge", err)
		}
		return nil
	})
	b.do("Commit of MaxReserve+1 bytes", func() error {
		if err := x.Commit(make([]byte, most+1)); !errors.Is(err, tenon.ErrTooLarge) {
			return fmt.Errorf("got %v, want ErrTooLarge", err)
		}
		return nil
	})
	w, r := patternWriter{pattern: 24}, patternReader{pattern: 24}
	b.do("sending after that", func() error { return errors.Join(w.commit(x, 10, 10), x.Flush()) })
	b.do("receiving", func() error {
		return r.drain(func() ([]byte, error) { return recvOne(y) }, 10)
	})
}

// fill commits, without Flush, until the link has no room for n bytes.
func fill(x tenon.DirectLink, w *patternWriter, n int) error {
	for range 2 * bound / n {
		p := x.Reserve(n)
		if p == nil {
			return nil
		}
		if err := x.Commit(append(p, w.next(n)...)); err != nil {
			return err
		}
		w.offset += int64(n)
	}
	return fmt.Errorf("the link has no end: it took %d MiB without Flush", 2*bound>>20)
}

func checkFull(b *bench) {
	x, y := b.directLinks()
	w, r := patternWriter{pattern: 25}, patternReader{pattern: 25}
	n := max(1, x.MaxReserve()/4)
	b.do("filling the link", func() error { return fill(x, &w, n) })
	for range 3 {
		if err := x.Commit(w.next(n)); !errors.Is(err, tenon.ErrFull) {
			b.Fatalf("Commit on a full link: got %v, want ErrFull", err)
		}
	}
	all := w.offset + int64(n)
	b.finish(
		start("committing again after WaitSend", func() error {
			return errors.Join(w.commit(x, n, n), x.Flush())
		}),
		start("receiving", func() error {
			return r.drain(func() ([]byte, error) { return recvOne(y) }, all)
		}),
	)
}

func checkWaitSendPublishes(b *bench) {
	x, y := b.directLinks()
	w, r := patternWriter{pattern: 26}, patternReader{pattern: 26}
	n := max(1, x.MaxReserve()/4)
	b.do("filling the link", func() error { return fill(x, &w, n) })
	filled := w.offset
	b.finish(
		start("WaitSend on a link full of unpublished bytes", func() error { return x.WaitSend(n) }),
		start("receiving", func() error {
			err := r.drain(func() ([]byte, error) { return recvOne(y) }, filled)
			y.TryRecv() // gives the last slice back: it may be all the room there is
			return err
		}),
	)
}

func checkMix(b *bench) {
	x, y := b.directLinks()
	b.finish(mixed(x, y, 30)...)
	b.finish(mixed(y, x, 31)...)
	both := append(mixed(x, y, 32), mixed(y, x, 33)...)
	b.finish(both...)
}

// mixed sends and receives with methods chosen at random.
func mixed(x, y tenon.DirectLink, seed uint64) []*task {
	const total = 2 << 20
	sending := start("sending", func() error {
		w := patternWriter{pattern: pattern(seed)}
		rng := rand.New(rand.NewPCG(seed, 1))
		for w.offset < total {
			n := min(rng.IntN(1<<rng.IntN(18)+1), x.MaxReserve(), total-int(w.offset))
			var err error
			switch rng.IntN(8) {
			case 0:
				if err = x.Send(w.next(n)); err == nil {
					w.offset += int64(n)
				}
			case 1:
				err = x.Flush()
			case 2:
				x.Reserve(n) // and drop it
			case 3:
				x.InterruptSend()
			case 4:
				err = w.commit(x, max(1, n/2), n)
			default:
				err = w.commit(x, max(1, n), n)
			}
			if err != nil {
				return err
			}
		}
		return x.Flush()
	})
	receiving := start("receiving", func() error {
		r := patternReader{pattern: pattern(seed)}
		rng := rand.New(rand.NewPCG(seed, 2))
		return r.drain(func() ([]byte, error) {
			for {
				var p []byte
				var err error
				switch rng.IntN(4) {
				case 0:
					p, err = y.Recv()
				case 1:
					y.InterruptRecv()
					fallthrough
				default:
					p, err = recvOne(y)
				}
				if !errors.Is(err, tenon.ErrInterrupted) {
					return p, err
				}
			}
		}, total)
	})
	return []*task{sending, receiving}
}
