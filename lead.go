package tenon

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/tenon-go/tenon/internal/call"
)

// drainLimit is how many chunks a caller reads for others after it has its own
// answer; then the base reader has to take over.
const drainLimit = 16

// enter makes the calling goroutine, which is about to wait for an answer, the
// reader. It returns false when somebody else reads.
func (r *reader) enter() bool {
	if r.role.move(roleLoose, roleCaller) || r.role.move(roleFree, roleCallerFree) || r.role.move(roleRun, roleCallerRun) {
		return true
	}
	if r.poll == nil || !r.role.move(roleAsleep, roleCaller) {
		return false
	}
	r.poll.Disarm()
	return true
}

// lead makes the calling goroutine, which is w, the reader until its wait is
// over. It returns false when the goroutine has to wait for somebody else who
// reads. A lone caller is the reader already, since before its call was
// published: so the answer can't come while the base reader would still be woken
// by it.
//
// A caller never runs a handler: its own stack may hold the lock that the
// handler wants.
func (r *reader) lead(ctx context.Context, w *call.Waiter) bool {
	if !w.Leads && !r.enter() {
		return false
	}
	w.Leads = false
	r.leader = w
	polling := r.poll != nil && !r.poll.Cold()
	if n := r.quick.Load(); n > 0 {
		r.quick.Add(-n)
		r.poller.Note(int(n))
	}
	if polling {
		r.poller.Begin()
	}
	begun := polling
	look := r.poll != nil || r.splitter.Fed() // a look in vain at a stream is a system call
	for ; ; look = true {
		n, err := 0, error(nil)
		if look {
			n, err = r.drain(1, r.hire)
		}
		if r.settled {
			if begun {
				r.poller.End()
			}
			r.leader, r.settled = nil, false
			if w.Stays && err == nil {
				err = r.drainMore()
			}
			r.waiting.Add(-1)
			if err != nil {
				r.fail(err)
			} else {
				r.leave()
			}
			return true
		}
		if err != nil {
			r.fail(err)
			return false
		}
		if len(w.Settled) > 0 {
			break // before we came, or by somebody who does not read
		}
		if n > 0 {
			continue
		}
		if polling && ctx.Err() == nil {
			if r.waiting.Load() > 1 {
				runtime.Gosched() // what others have to send is better than a pause
			}
			if r.poller.Again() {
				continue
			}
			polling = false
		}
		if !r.mayWait(ctx) {
			break
		}
		if err := r.link.WaitRecv(); errors.Is(err, ErrInterrupted) {
			break // by the watch
		} else if err != nil {
			r.fail(err)
			return false
		}
	}
	if begun {
		w.Since = r.poller.Since()
		r.poller.Abandon()
	}
	r.leader = nil
	r.leave()
	r.dislodge()
	return false
}

// drainMore reads what is there already, within a limit, for a party that is about to
// take it: else it would find nothing behind the first items, and give credit for
// those alone while thousands are under way.
func (r *reader) drainMore() error {
	for range drainLimit {
		if n, err := r.drain(1, r.hire); n == 0 || err != nil {
			return err
		}
	}
	return nil
}

// longWait is how far the deadline of a caller must be that sleeps in the link.
// It is looked at by the watch only.
const longWait = 3 * watchTick

// mayWait reports whether the caller that reads may sleep in the link: not where
// the base reader does, not while others wait too, since waking the base reader
// for them in the end is more than having it read now, and not if ctx ends soon.
// Otherwise the watch ends the sleep after a tick or two.
func (r *reader) mayWait(ctx context.Context) bool {
	if r.waiting.Load() > 1 || ctx.Err() != nil || r.role.is(roleCaller) {
		return false
	}
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > longWait
}

// leave gives the role back: to the next caller if nobody waits for an answer
// and the peer does not call us, else to the base reader.
func (r *reader) leave() {
	if r.role.move(roleCallerRun, roleRun) {
		return // the base reader comes back from its handler, or the watch acts
	}
	if !r.awaited() && !r.expectsCalls() {
		for !r.role.step(roleCallerFree, roleFree, 1) && !r.role.step(roleCaller, roleLoose, 1) {
			// The base reader woke up between the two.
		}
		r.watch.begin()
		if r.wanted() {
			r.rouse() // for one that found us reading
		}
		return
	}
	// What is there already is read first, within a limit, since the base reader
	// would have to be woken for it.
	for range drainLimit {
		n, err := r.drain(1, r.hire)
		if err != nil {
			r.fail(err)
			return
		}
		if n > 0 {
			continue
		}
		if !r.role.move(roleCaller, roleAsleep) {
			break
		}
		if r.poll.Arm() || !r.role.move(roleAsleep, roleCaller) {
			return
		}
	}
	r.toBase()
}

// pushesExpected is how many times of ours the reading is given to the base reader
// after the peer has called while nobody of ours waited: its next calls then do
// not have to wait for the watch.
const pushesExpected = 64

func (r *reader) expectsCalls() bool {
	if r.pushes == 0 {
		return false
	}
	r.pushes--
	return true
}

// wanted reports whether the role must not be left lying about: an answer is awaited,
// or the connection ends.
func (r *reader) wanted() bool { return r.awaited() || isClosed(r.conn.over) }

// rouse has the base reader read if nobody does.
func (r *reader) rouse() {
	switch {
	case r.role.move(roleFree, roleBase):
		r.handover <- struct{}{}
	case r.role.move(roleLoose, roleAsleep):
		if !r.poll.Arm() {
			r.link.InterruptRecv()
		}
	}
}

// toBase makes the base reader read, wherever it is.
func (r *reader) toBase() {
	for {
		switch {
		case r.role.move(roleCaller, roleAsleep):
			r.link.InterruptRecv()
			return
		case r.role.move(roleCallerRun, roleRun):
			r.dislodge()
			return
		case r.role.move(roleCallerFree, roleBase):
			r.handover <- struct{}{}
			return
		}
	}
}

// dislodge has a new base reader read if the present one runs a handler: a
// caller is about to sleep, perhaps that very handler.
func (r *reader) dislodge() {
	if now := r.role.Load(); now&roleMask == roleRun && r.role.replace(now) {
		r.startBase()
	}
}

// fail ends the connection from a caller that reads.
func (r *reader) fail(err error) {
	r.leader = nil
	if err != errDetached {
		r.conn.end(err)
	}
	r.toBase()
}

// nudge has a caller that sleeps in the link look at its own wait, which somebody
// ended who does not read.
func (r *reader) nudge() {
	if r.role.is(roleCallerFree) || r.role.is(roleCallerRun) {
		r.link.InterruptRecv()
	}
}
