package ring

import (
	"context"
	"math/rand/v2"
	"os"
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

// races is how many park/publish races a test plays.
func races() int {
	switch {
	case os.Getenv("TENON_SOAK") == "1":
		return 10_000_000
	case raceEnabled || testing.Short():
		return 10_000
	default:
		return 100_000
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
	if os.Getenv("TENON_SOAK") == "1" {
		limit = time.Hour
	}
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatal("a sleeper was not woken")
	}
}

func TestNoWakeUpIsLostReport60(t *testing.T) {
	there, r1 := pair(t, MinCapacity, Spin(0), WaitBy(lateWaiter{Futex}))
	back, r2 := pair(t, MinCapacity, Spin(0), WaitBy(lateWaiter{Futex}))
	n := races()
	relay := func(w *Writer, r *Reader, first bool) {
		ctx := context.Background()
		for i := range n {
			if first || i > 0 {
				w.TryWrite(nil)
				spin.Pause(1 + rand.Uint32N(60))
				w.Flush()
			}
			if _, err := r.Read(ctx); err != nil {
				t.Error(err)
				return
			}
		}
		w.TryWrite(nil)
		w.Flush()
	}
	within(t, func() {
		var both sync.WaitGroup
		both.Go(func() { relay(there, r2, true) })
		both.Go(func() { relay(back, r1, false) })
		both.Wait()
	})
}

func TestNoWakeUpForRoomIsLostReport60(t *testing.T) {
	w, r := pair(t, MinCapacity, Spin(0), WaitBy(lateWaiter{Futex}), Timeout(0))
	n := races()
	within(t, func() {
		var both sync.WaitGroup
		both.Go(func() {
			for range n {
				if err := w.Write(context.Background(), make([]byte, 1500)); err != nil {
					t.Error(err)
				}
			}
			w.Flush()
		})
		both.Go(func() {
			for range n {
				if _, err := r.Read(context.Background()); err != nil {
					t.Error(err)
				}
				spin.Pause(1 + rand.Uint32N(60))
			}
		})
		both.Wait()
	})
}

// TestNoWakeUpIsLostBetweenReadersReport60 has a base reader asleep in Wait
// while others take its place now and then, leave, and arm when they have left.
func TestNoWakeUpIsLostBetweenReadersReport60(t *testing.T) {
	w, r := pair(t, MinCapacity, WaitBy(lateWaiter{Futex}))
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
	n := races()
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
