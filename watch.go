package tenon

import (
	"sync/atomic"
	"time"
)

// A watch sees to it that nothing holds the reading up for more than two ticks:
// when it finds the same state twice, a tick apart, it acts. In the place of a
// base reader that a handler holds up it starts a new one; a role that no caller
// has taken up again it gives to the base reader; and a caller who sleeps in the
// link it sends to sleep elsewhere, where the end of its context wakes it. It
// ticks while there are such states and costs nothing otherwise. On a machine
// whose processors are all busy a tick may come late.
//
// Setting a timer for every such state instead would cost a call over shared
// memory a tenth of its time, and brought nothing over a socket.
type watch struct {
	reader  *reader
	running *pace // of the handler that the base reader runs; set before the role
	timer   *time.Timer
	ticking atomic.Bool

	// Of the tick.
	last  uint64 // the role word of the tick before
	quiet int    // ticks without a change
}

const (
	watchTick  = time.Millisecond
	watchQuiet = 20 // ticks after which it stops
)

func (w *watch) init(r *reader) {
	w.reader = r
	w.timer = time.AfterFunc(time.Hour, w.tick)
	w.timer.Stop()
}

// begin is called when a state begins that must not last.
func (w *watch) begin() {
	if !w.ticking.Load() && w.ticking.CompareAndSwap(false, true) {
		w.quiet = 0
		w.timer.Reset(watchTick)
	}
}

func (w *watch) tick() {
	role := &w.reader.role
	now := role.Load()
	if now>>roleBits != w.last>>roleBits {
		w.quiet = 0
	} else {
		w.quiet++
	}
	if now == w.last {
		w.act(now)
	}
	w.last = now
	if w.quiet < watchQuiet || watched(now) {
		w.timer.Reset(watchTick)
		return
	}
	// Who enters such a state now sees ticking as false, or is seen.
	w.ticking.Store(false)
	if watched(role.Load()) {
		w.begin()
	}
}

// watched reports whether a state must not last.
func watched(word uint64) bool {
	switch word & roleMask {
	case roleRun, roleCallerRun, roleLoose, roleFree, roleCallerFree:
		return true
	}
	return false
}

// act ends such a state if it still is the same.
func (w *watch) act(word uint64) {
	switch r := w.reader; word & roleMask {
	case roleRun:
		if r.role.replace(word) {
			w.running.blocked()
			r.startBase()
		}
	case roleFree:
		if r.role.replace(word) {
			r.handover <- struct{}{}
		}
	case roleLoose:
		r.rouse()
	case roleCallerFree, roleCallerRun:
		r.link.InterruptRecv()
	}
}
