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

// A witness knows whether the reader of a ring lies asleep and nobody has tried
// to wake it. It knows for certain, so that a machine that is slow to let a woken
// sleeper run does not look like a ring that forgot it.
type witness struct {
	Waiter
	wakes  atomic.Uint32
	begun  atomic.Uint32 // wakes when the sleeper lay down
	sleeps atomic.Uint32 // odd while it lies there
}

func (s *witness) Sleep(word *atomic.Uint32, value uint32, longest time.Duration) {
	s.begun.Store(s.wakes.Load())
	if word.Load() != value {
		return // somebody tries already
	}
	s.sleeps.Add(1)
	s.Waiter.Sleep(word, value, longest)
	s.sleeps.Add(1)
}

func (s *witness) Wake(word *atomic.Uint32) {
	s.wakes.Add(1)
	s.Waiter.Wake(word)
}

// forgotten reports whether the reader has been asleep all the while unread was
// asked, and nobody had tried to wake it afterwards.
func (s *witness) forgotten(unread func() bool) bool {
	at := s.sleeps.Load()
	return at&1 == 1 && unread() && s.wakes.Load() == s.begun.Load() && s.sleeps.Load() == at
}

// races is how many park/publish races a test plays, with sleeps that cost
// nothing and with those of the system. Those of all tests take some seconds on
// two idle cores and a minute where others need them too. In soak they are
// expected to take 5 minutes, and took 24 beside a dozen other busy threads.
func races() (spinning, sleeping int) {
	switch {
	case soak:
		return 100_000_000, 1_000_000
	case raceEnabled || testing.Short():
		return 100_000, 10_000
	default:
		return 3_000_000, 50_000
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

// within fails the test when f stands still: a lost wake-up sleeps for ever
// here. It calls look every millisecond.
func within(t *testing.T, moves *atomic.Int64, look, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	last, since := moves.Load(), time.Now()
	for every := time.NewTicker(time.Millisecond); ; {
		select {
		case <-done:
			every.Stop()
			return
		case <-every.C:
		}
		look()
		if now := moves.Load(); now != last {
			last, since = now, time.Now()
		} else if time.Since(since) > 20*time.Second {
			t.Fatalf("a sleeper was not woken after %d races", now)
		}
	}
}

// A player publishes a message and then parks until the other one has.
type player struct {
	w       *Writer
	r       *Reader
	sleeper *witness     // where r sleeps
	read    atomic.Int64 // from r
	flushed atomic.Int64 // by w, to the end
}

func (p *player) publish(seed *dither) error {
	if _, err := p.w.TryWrite(nil); err != nil {
		return err
	}
	seed.pass(64)
	err := p.w.Flush()
	p.flushed.Add(1)
	return err
}

func (p *player) park() error {
	_, err := p.r.Read(context.Background())
	p.read.Add(1)
	return err
}

// play goes to and fro n times. Whoever fails lets the other one go.
func (p *player) play(t *testing.T, n int, serves bool, seed dither) {
	defer p.w.Close()
	for i := range n {
		var err error
		if i > 0 || serves {
			err = p.publish(&seed)
		}
		if err == nil {
			seed.pass(64)
			err = p.park()
		}
		if err != nil {
			t.Error(err)
			return
		}
	}
	if !serves {
		if err := p.publish(&seed); err != nil {
			t.Error(err)
		}
	}
}

// sleepsBeside reports whether p sleeps although there is something to read.
func (p *player) sleepsBeside(other *player) bool {
	return p.sleeper.forgotten(func() bool { return p.read.Load() < other.flushed.Load() })
}

// TestNoWakeUpIsLostReport60 looks every millisecond for a reader that sleeps
// although there is something to read. The last form is the one of everyday,
// where the sleeper would look around by itself after half a second.
func TestNoWakeUpIsLostReport60(t *testing.T) {
	spinning, sleeping := races()
	for name, c := range map[string]struct {
		n          int
		one, other Waiter
	}{
		"spinning": {spinning, newSpinFutex(), newSpinFutex()},
		"sleeping": {sleeping, lateWaiter{Futex}, lateWaiter{Futex}},
		"everyday": {sleeping, Futex, Futex},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := &player{sleeper: &witness{Waiter: c.one}}, &player{sleeper: &witness{Waiter: c.other}}
			a.w, b.r = pair(t, MinCapacity, Spin(0), WaitBy(b.sleeper))
			b.w, a.r = pair(t, MinCapacity, Spin(0), WaitBy(a.sleeper))
			look := func() {
				if !t.Failed() && (a.sleepsBeside(b) || b.sleepsBeside(a)) {
					t.Errorf("after %d races a reader sleeps beside a message, and nobody has tried to wake it", 2*a.read.Load())
					a.w.Close()
					b.w.Close()
				}
			}
			within(t, &a.read, look, func() {
				var both sync.WaitGroup
				both.Go(func() { a.play(t, c.n/2, true, 3) })
				both.Go(func() { b.play(t, c.n/2, false, 5) })
				both.Wait()
			})
			if a.read.Load() < int64(c.n/2) {
				t.Errorf("%d of %d races were played", 2*a.read.Load(), c.n)
			}
			if slept := a.r.Stats().Sleeps + b.r.Stats().Sleeps; slept < uint64(c.n/10) {
				t.Errorf("only %d of %d races had a sleeper", slept, c.n)
			}
		})
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
			var read atomic.Int64
			within(t, &read, func() {}, func() {
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
						read.Add(1)
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
	within(t, &got, func() {}, func() {
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
						if ended.Load() {
							r.Interrupt() // the end found nobody announced: the base reader sleeps on
							break
						}
						if r.Arm() {
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
			if i%16 == 0 { // now and then the base reader has the time to move
				for range rand.IntN(200) {
					runtime.Gosched()
				}
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
