package linknet

import (
	"sync"
	"sync/atomic"
	"time"
)

// A deadline is that of one direction. Who waits looks at passed, then waits;
// when the time comes passed is set, then the wait is interrupted. An interrupt
// that comes in between ends the next wait, so that none is missed.
type deadline struct {
	interrupt func()
	passed    atomic.Bool

	mu      sync.Mutex
	at      time.Time // with a monotonic reading; zero if no timer counts
	timer   *time.Timer
	stopped bool
}

// set replaces the deadline, or reports that it has been stopped.
func (d *deadline) set(t time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped {
		return false
	}
	d.disarm()
	left := time.Until(t)
	switch {
	case t.IsZero():
		d.passed.Store(false)
	case left <= 0:
		d.pass()
	default:
		d.passed.Store(false)
		d.at = time.Now().Add(left)
		if d.timer == nil {
			d.timer = time.AfterFunc(left, d.ring)
		} else {
			d.timer.Reset(left)
		}
	}
	return true
}

// ring is the timer's. It may come late, for a deadline that set has replaced
// meanwhile.
func (d *deadline) ring() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.at.IsZero() && !time.Now().Before(d.at) {
		d.at = time.Time{}
		d.pass()
	}
}

func (d *deadline) pass() {
	d.passed.Store(true)
	d.interrupt()
}

// stop ends the deadline for good.
func (d *deadline) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped = true
	d.disarm()
}

func (d *deadline) disarm() {
	d.at = time.Time{}
	if d.timer != nil {
		d.timer.Stop()
	}
}
