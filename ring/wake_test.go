package ring

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon/internal/spin"
)

// lateWaiter sleeps until it is woken, without ever looking around, and widens
// the moments in which a wake-up could get lost.
type lateWaiter struct{ Waiter }

func (l lateWaiter) Sleep(word *atomic.Uint32, value uint32, _ time.Duration) {
	spin.Pause(1 + rand.Uint32N(30))
	l.Waiter.Sleep(word, value, 0)
}

func (l lateWaiter) Wake(word *atomic.Uint32) {
	spin.Pause(1 + rand.Uint32N(30))
	l.Waiter.Wake(word)
}

// A spinFutex has the rules of a futex and none of its cost, so that millions of
// races are played in seconds: a Wake ends the Sleep that has begun before, a
// Sleep on a word that has changed does not begin, and there is no timeout.
type spinFutex struct {
	wakes  atomic.Uint32
	poller spin.Poller // the one sleeper's
}

func newSpinFutex() *spinFutex { return &spinFutex{poller: spin.New(time.Hour)} }

func (f *spinFutex) Sleep(word *atomic.Uint32, value uint32, _ time.Duration) {
	begun := f.wakes.Load()
	if word.Load() != value {
		return
	}
	f.poller.Begin()
	for f.wakes.Load() == begun {
		if !f.poller.Again() {
			runtime.Gosched()
		}
	}
}

func (f *spinFutex) Wake(*atomic.Uint32) { f.wakes.Add(1) }

// races is how many park/publish races a test plays, with sleeps that cost
// nothing and with those of the system.
func races() (spinning, sleeping int) {
	switch {
	case soak:
		return 100_000_000, 10_000_000
	case raceEnabled || testing.Short():
		return 100_000, 10_000
	default:
		return 10_000_000, 50_000
	}
}

// A dither is a cheap source of short, uneven delays.
type dither uint64

func (d *dither) pass(most uint64) {
	*d ^= *d << 13
	*d ^= *d >> 7
	*d ^= *d << 17
	for range uint64(*d) % most {
		_ = d
	}
}

// within fails the test when f hangs: a lost wake-up sleeps for ever here.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	limit := time.Minute
	if soak {
		limit = time.Hour
	}
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatal("a sleeper was not woken")
	}
}

func TestNoWakeUpIsLostReport60(t *testing.T) {
	spinning, sleeping := races()
	for name, c := range map[string]struct {
		n          int
		one, other Waiter
	}{
		"spinning": {spinning, newSpinFutex(), newSpinFutex()},
		"sleeping": {sleeping, lateWaiter{Futex}, lateWaiter{Futex}},
	} {
		t.Run(name, func(t *testing.T) {
			there, r1 := pair(t, MinCapacity, Spin(0), WaitBy(c.one))
			back, r2 := pair(t, MinCapacity, Spin(0), WaitBy(c.other))
			within(t, func() {
				var both sync.WaitGroup
				both.Go(func() { relay(t, there, r2, c.n/2, 3) })
				both.Go(func() {
					if _, err := r1.Read(context.Background()); err != nil {
						t.Error(err)
					}
					relay(t, back, r1, c.n/2-1, 5)
					publish(back)
				})
				both.Wait()
			})
			if slept := r1.Stats().Sleeps + r2.Stats().Sleeps; slept < uint64(c.n/10) {
				t.Errorf("only %d of %d races had a sleeper", slept, c.n)
			}
		})
	}
}

func publish(w *Writer) {
	w.TryWrite(nil)
	w.Flush()
}

// relay publishes and then parks, n times.
func relay(t *testing.T, w *Writer, r *Reader, n int, seed dither) {
	for range n {
		w.TryWrite(nil)
		seed.pass(64)
		w.Flush()
		seed.pass(64)
		if _, err := r.Read(context.Background()); err != nil {
			t.Error(err)
			return
		}
	}
}

func TestNoWakeUpForRoomIsLostReport60(t *testing.T) {
	spinning, sleeping := races()
	for name, c := range map[string]struct {
		n      int
		waiter Waiter
	}{
		"spinning": {spinning / 10, nil},
		"sleeping": {sleeping, lateWaiter{Futex}},
	} {
		t.Run(name, func(t *testing.T) {
			mem, err := Alloc(MinCapacity)
			if err != nil {
				t.Fatal(err)
			}
			waiter := c.waiter
			if waiter == nil {
				waiter = newTwoFutexes(mem)
			}
			w, err := NewWriter(mem, Spin(0), WaitBy(waiter), Timeout(0))
			if err != nil {
				t.Fatal(err)
			}
			r, err := NewReader(mem, Spin(0), WaitBy(waiter))
			if err != nil {
				t.Fatal(err)
			}
			within(t, func() {
				var both sync.WaitGroup
				both.Go(func() {
					p := make([]byte, 1500) // two have room
					for range c.n {
						if err := w.Write(context.Background(), p); err != nil {
							t.Error(err)
						}
					}
					w.Flush()
				})
				both.Go(func() {
					seed := dither(7)
					for range c.n {
						if _, err := r.Read(context.Background()); err != nil {
							t.Error(err)
						}
						seed.pass(64)
					}
				})
				both.Wait()
			})
		})
	}
}

// twoFutexes is a spinFutex for each side of a ring.
type twoFutexes struct {
	reader, writer *spinFutex
	ofReader       *atomic.Uint32
}

func newTwoFutexes(mem []byte) *twoFutexes {
	h, _, err := open(mem)
	if err != nil {
		panic(err)
	}
	return &twoFutexes{newSpinFutex(), newSpinFutex(), &h.readerWake}
}

func (f *twoFutexes) of(word *atomic.Uint32) *spinFutex {
	if word == f.ofReader {
		return f.reader
	}
	return f.writer
}

func (f *twoFutexes) Sleep(word *atomic.Uint32, value uint32, d time.Duration) {
	f.of(word).Sleep(word, value, d)
}

func (f *twoFutexes) Wake(word *atomic.Uint32) { f.of(word).Wake(word) }

// restlessWaiter wakes up for nothing every other time, so that a reader with
// a doorbell moves there all the time.
type restlessWaiter struct{ lateWaiter }

func (r restlessWaiter) Sleep(word *atomic.Uint32, value uint32, d time.Duration) {
	if rand.IntN(2) == 0 {
		spin.Pause(1 + rand.Uint32N(30))
		return
	}
	r.lateWaiter.Sleep(word, value, d)
}

// TestNoWakeUpIsLostBetweenReadersReport60 has a base reader asleep in Wait
// while others take its place now and then, leave, and arm when they have left.
func TestNoWakeUpIsLostBetweenReadersReport60(t *testing.T) {
	t.Run("on the wake word", func(t *testing.T) {
		w, r := pair(t, MinCapacity, WaitBy(lateWaiter{Futex}))
		visitReader(t, w, r)
	})
	t.Run("at the doorbell", func(t *testing.T) {
		// A press that is on its way swallows the next one, as a full socket does.
		pressed := make(chan struct{}, 1)
		var presses atomic.Int64
		press := func() {
			presses.Add(1)
			select {
			case pressed <- struct{}{}:
			default:
			}
		}
		w, r := pair(t, MinCapacity, WaitBy(restlessWaiter{lateWaiter{Futex}}), PressDoorbell(press), AtDoorbell())
		var porter sync.WaitGroup
		porter.Go(func() {
			for range pressed {
				spin.Pause(1 + rand.Uint32N(30))
				r.Rung()
				switch rand.IntN(8) {
				case 0: // now and then there are too many threads
					threads.Add(1000)
					runtime.Gosched()
					threads.Add(-1000)
				}
			}
		})
		visitReader(t, w, r)
		close(pressed)
		if presses.Load() < 100 {
			t.Errorf("the doorbell was pressed %d times only", presses.Load())
		}
		porter.Wait()
		if r.mine.door.thread || threads.Load() != 0 {
			t.Error("a thread is still counted")
		}
	})
}

func visitReader(t *testing.T, w *Writer, r *Reader) {
	var (
		role  sync.Mutex // the reader's
		got   atomic.Int64
		ended atomic.Bool
	)
	drain := func() {
		for {
			p, err := r.TryRead()
			if err != nil {
				ended.Store(true)
				return
			}
			if p == nil {
				return
			}
			got.Add(1)
		}
	}
	_, n := races()
	within(t, func() {
		var all sync.WaitGroup
		all.Go(func() { // the base reader
			for !ended.Load() {
				role.Lock()
				drain()
				role.Unlock()
				r.Wait(context.Background())
			}
		})
		visits := make(chan uint32, 2)
		for range 2 {
			all.Go(func() {
				for stay := range visits {
					role.Lock()
					r.Disarm()
					for {
						for range stay {
							drain()
							spin.Pause(1)
						}
						drain()
						role.Unlock()
						if r.Arm() || ended.Load() {
							break
						}
						role.Lock()
					}
				}
			})
		}
		for i := range n {
			if rand.IntN(2) == 0 {
				select {
				case visits <- rand.Uint32N(4):
				default:
				}
				spin.Pause(1 + rand.Uint32N(100))
			}
			w.TryWrite(nil)
			w.Flush()
			for got.Load() != int64(i+1) {
				runtime.Gosched()
			}
		}
		w.Close()
		close(visits)
		all.Wait()
	})
}

// TestLateArmLeavesTheArmingOfOthersReport60 plays the one order that matters:
// between an Arm's announcement and its last look somebody else reads all,
// leaves, and arms.
func TestLateArmLeavesTheArmingOfOthersReport60(t *testing.T) {
	_, r := pair(t, MinCapacity)
	looks := 0
	armed := r.arm(func() bool {
		if looks++; looks < 2 {
			return false
		}
		if !r.Arm() {
			t.Error("the other one could not arm")
		}
		return true // what was there before the other one read it
	})
	if armed {
		t.Error("armed although there was something to read")
	}
	if r.h.readerSleeps.Load() != asleep {
		t.Error("took the other one's announcement back")
	}
}

// TestNoWakeUpIsLateReport60 compares the sleeps of a reader that end more than
// a millisecond after the publication with those of a bare futex beside it: a
// machine that is busy delays both alike.
func TestNoWakeUpIsLateReport60(t *testing.T) {
	const (
		late     = time.Millisecond
		overRing = 0
	)
	rounds := 10_000
	if soak {
		rounds = 1_000_000
	} else if raceEnabled || testing.Short() {
		rounds = 2_000
	}
	w, r := pair(t, MinCapacity, Spin(0))
	var (
		published [2]atomic.Int64 // when, over the ring and over the bare word
		word      atomic.Uint32
		parked    = make(chan struct{})
		lates     [2]int
		epoch     = time.Now()
	)
	within(t, func() {
		var both sync.WaitGroup
		both.Go(func() {
			for range rounds {
				for k := range published {
					<-parked
					spin.Pause(1 + rand.Uint32N(200))
					published[k].Store(int64(time.Since(epoch)))
					if k == overRing {
						publish(w)
					} else {
						word.Add(1)
						Futex.Wake(&word)
					}
				}
			}
		})
		both.Go(func() {
			for range rounds {
				for k := range published {
					seen := word.Load()
					parked <- struct{}{}
					if k == overRing {
						if _, err := r.Read(context.Background()); err != nil {
							t.Error(err)
						}
					} else {
						for word.Load() == seen {
							Futex.Sleep(&word, seen, 0)
						}
					}
					if time.Since(epoch)-time.Duration(published[k].Load()) > late {
						lates[k]++
					}
				}
			}
		})
		both.Wait()
	})
	if slept := r.Stats().Sleeps; slept < uint64(rounds/10) {
		t.Errorf("slept only %d times in %d rounds", slept, rounds)
	}
	t.Logf("later than %v: %d of %d over the ring, %d over a bare futex", late, lates[0], rounds, lates[1])
	if lates[0] > 3*lates[1]+rounds/100 {
		t.Errorf("%d of %d wake-ups came late, and %d over a bare futex", lates[0], rounds, lates[1])
	}
}
