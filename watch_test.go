package tenon_test

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
)

// pollable is what tenon asks of a link that can be polled.
type pollable interface {
	tenon.DirectLink
	Arm() bool
	Disarm()
	Cold() bool
}

// nudging is a link whose sleeping receiver wakes up once for nothing, as it may,
// when another one takes its place.
type nudging struct {
	pollable
	asleep, nudge, spare atomic.Int32
}

func (l *nudging) WaitRecv() error {
	l.asleep.Add(1)
	defer l.asleep.Add(-1)
	err := l.pollable.WaitRecv()
	interrupted := errors.Is(err, tenon.ErrInterrupted)
	switch {
	case l.nudge.CompareAndSwap(1, 0):
		if !interrupted {
			l.spare.Add(1) // it is still to come
		}
		return nil
	case interrupted && l.spare.CompareAndSwap(1, 0):
		return l.pollable.WaitRecv()
	}
	return err
}

func (l *nudging) Disarm() {
	l.pollable.Disarm()
	if l.nudge.CompareAndSwap(2, 1) {
		l.InterruptRecv()
		for l.asleep.Load() > 0 {
			runtime.Gosched()
		}
	}
}

func TestCallerWhoReadsIsCanceledThoughTheBaseReaderWokeUp(t *testing.T) {
	a, b := links(t)["shm"]()
	direct, ok := a.(pollable)
	if !ok {
		t.Skip("no link here can be polled")
	}
	link := &nudging{pollable: direct}
	k := &calc{}
	conn := connect(t, k, link, b)
	mayCall(t, conn)
	eventually(t, "the connection is idle", func() bool { return link.asleep.Load() == 1 && !tenon.Ticking(conn) })
	link.nudge.Store(2)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	result := make(chan error, 1)
	go func() {
		_, err := block.Call(ctx, conn, "")
		result <- err
	}()
	eventually(t, "the handler runs", func() bool { return k.started.Load() == 1 })
	eventually(t, "it sleeps in the link", func() bool { return link.asleep.Load() == 1 })
	time.Sleep(5 * time.Millisecond)
	cancel()
	select {
	case err := <-result:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("the call outlives its context")
	}
}

// TestOnlyWhoBlocksNeedsTheWatch has short calls go both ways without it: whoever
// gives the reading up, somebody else has it, and whoever keeps an answer back
// sends it.
func TestOnlyWhoBlocksNeedsTheWatch(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		if path.Base(t.Name()) == "small_shm" {
			t.Skip("two base readers that wait for room block each other")
		}
		for _, callers := range [][2]int{{1, 0}, {2, 0}, {16, 0}, {1, 1}, {2, 3}, {16, 1}, {16, 16}} {
			t.Run(fmt.Sprint(callers), func(t *testing.T) {
				a, b := pair()
				r := newRig(t, a, b)
				tenon.StopWatch(r.x)
				tenon.StopWatch(r.y)
				waitFor(t, "a call without a watch", 30*time.Second, func() { // thousands of calls, maybe beside others
					r.flood(t, callers[0], callers[1], 500/tenon.Scale)
					r.close()
				})
			})
		}
	})
}

// flood has so many callers on each side make short calls, until each side has
// made so many.
func (r *rig) flood(t *testing.T, onX, onY, calls int) {
	var all sync.WaitGroup
	left := make(chan struct{})
	enough := func(callers int) func() {
		var made atomic.Int64
		return func() {
			if made.Add(1) == int64(calls*callers) {
				left <- struct{}{}
			}
		}
	}
	ready := make(chan struct{})
	madeOnX, madeOnY := enough(onX), enough(onY)
	for i := range onX + onY {
		conn, to, made := r.x, r.py, madeOnX
		if i >= onX {
			conn, to, made = r.y, r.px, madeOnY
		}
		all.Go(func() {
			for n := 0; !closed(ready); n++ {
				if _, err := to.methods[(i+n)%3].Call(t.Context(), conn, ""); err != nil {
					t.Error(err)
				}
				made()
			}
		})
	}
	for _, callers := range []int{onX, onY} {
		if callers > 0 {
			<-left
		}
	}
	close(ready)
	// Nobody reads for the last ones where nobody calls any more; a ping has somebody read.
	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()
	for onX > 0 && onY > 0 && !closed(done) {
		for _, conn := range []*tenon.Conn{r.x, r.y} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			conn.Ping(ctx)
			cancel()
		}
	}
	<-done
}

// TestReaderWokenForNothing lets the sleeping receiver of a link return early all
// the time, as a link may.
func TestReaderWokenForNothing(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		direct, ok := a.(tenon.DirectLink)
		if !ok {
			t.Skip("nobody but the pump sleeps in this link")
		}
		r := newRig(t, a, b)
		stop := make(chan struct{})
		var waker sync.WaitGroup
		waker.Go(func() {
			for !closed(stop) {
				direct.InterruptRecv()
				runtime.Gosched()
			}
		})
		for range 20 / tenon.Scale {
			within(t, "a call", func() { r.flood(t, 1, 0, 200) })
			within(t, "a call", func() { r.flood(t, 3, 3, 20) })
		}
		close(stop)
		waker.Wait()
	})
}
