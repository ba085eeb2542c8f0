package tenon

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/tenon-go/tenon/internal/spin"
)

// A base is the goroutine that reads when no caller does. It also runs short
// handlers itself, which spares a call two changes of goroutines and the wake-up
// of a thread that then competes with those who poll. Beneath such a handler
// lies no frame of a user, so that whatever it waits for, somebody else can
// read: a caller at once, or a new base that the watch starts.
type base struct {
	*reader
	poller  spin.Poller
	begun   bool      // the poller has begun a wait
	epoch   uint64    // of the handler that it runs or ran last
	settled time.Time // when it last settled a call of ours
	held    bool      // some of their answers may not be published yet
}

// errReplaced ends a base in whose place another one reads.
var errReplaced = errors.New("tenon: another goroutine reads")

// startBase starts the first base reader, or the next one. What the one before
// held of answers it publishes first.
func (r *reader) startBase() {
	b := &base{reader: r, poller: spin.New(r.conn.polling), held: true}
	go b.run(nil)
}

// run is the goroutine. begin comes first. When it returns for any other reason
// than that it was replaced, it has the role for good.
func (b *base) run(begin func() error) {
	var err error
	exited := true
	defer func() {
		if exited { // by runtime.Goexit in a handler: the next goroutine goes on
			go b.run(b.resume)
		}
	}()
	if begin != nil {
		err = begin()
	}
	for err == nil {
		if err = b.readAll(); err == nil {
			err = b.sleep()
		}
	}
	exited = false
	switch err {
	case errReplaced:
		return
	case errDetached:
		<-b.conn.running.Done() // detached ends the connection, not we
	default:
		b.conn.end(err)
		b.release()
	}
	b.conn.runners.end()
	b.conn.work.Done()
}

// readAll reads until there is nothing more, and polls a while for more where
// that is worth it: when the other side calls us, or answers are due.
func (b *base) readAll() error {
	b.served, b.answered = false, false
	if b.poll != nil {
		b.poll.Disarm()
	}
	for {
		n, err := b.read(-1)
		if err != nil {
			return err
		}
		if n > 0 && b.begun {
			b.poller.End()
			b.begun = false
		}
		if b.poll == nil || !b.served && !b.awaited() {
			return nil
		}
		b.poller.Begin()
		b.begun = true
		for {
			n, err := b.read(1)
			if err != nil {
				return err
			}
			if n > 0 {
				b.poller.End()
				b.begun = false
				break
			}
			if b.conn.sender.dirty.Load() {
				// Somebody has let others send before he publishes, and must not
				// wait for our next yield: 14 us a call with three callers, 6 so.
				runtime.Gosched()
			}
			if !b.poller.Again() {
				return nil
			}
		}
	}
}

// read is drain of the base reader.
func (b *base) read(max int) (chunks int, err error) {
	if chunks, err = b.drain(max, b.start); err == nil {
		b.publish()
	}
	return chunks, err
}

// publish publishes the answers that are held.
func (b *base) publish() {
	if b.held {
		b.held = false
		b.conn.sender.flushSoon(b.conn.outbox)
	}
}

// start starts the handler of a call: here, if its method has proved short.
func (b *base) start(s *servedCall) error {
	pace := s.handler.pace()
	if !pace.short() {
		return b.hire(s)
	}
	s.inPlace = true
	s.held = b.more()
	b.held = s.held
	s.timed = rand.Uint32()%timedEvery == 0 // by chance: calls may come in a pattern
	b.watch.running = pace
	b.epoch = b.role.enter(roleRun)
	b.watch.begin()
	s.run()
	return b.resume()
}

// more reports whether there is another frame already. On a stream it does not
// ask the system.
func (b *base) more() bool {
	if b.splitter.More() {
		return true
	}
	if b.poll == nil || b.splitter.Fed() || b.broken != nil {
		return false
	}
	chunk, err := b.next()
	if err != nil {
		b.broken = err
		return false
	}
	b.splitter.Feed(chunk)
	return b.splitter.More()
}

// resume takes the role again that the handler was run without.
func (b *base) resume() error {
	for {
		now := b.role.Load()
		if now>>roleBits != b.epoch {
			b.publish() // the answer came after the other one has looked
			return errReplaced
		}
		switch now & roleMask {
		case roleRun:
			if b.role.CompareAndSwap(now, roleWith(now>>roleBits, roleBase)) {
				return nil
			}
		case roleCallerRun:
			if b.role.CompareAndSwap(now, roleWith(now>>roleBits, roleCallerFree)) {
				b.publish() // the peer may need them to answer the caller
				<-b.handover
				return nil
			}
		}
	}
}

// sleep gives the role up and comes back with it when there is input.
func (b *base) sleep() error {
	if b.park() {
		return nil
	}
	if b.poll == nil {
		return b.wait()
	}
	b.role.move(roleBase, roleAsleep)
	for {
		err := b.wait()
		if b.role.move(roleAsleep, roleBase) || b.role.move(roleLoose, roleBase) {
			return err
		}
		if b.role.move(roleCaller, roleCallerFree) {
			b.watch.begin() // the caller may sleep in the link now
			<-b.handover
			return err
		}
	}
}

// park leaves the reading to callers: it was one of them that the last input was
// for, for the second time in a short while, and none waits now. It returns true
// when it has the role again.
func (b *base) park() bool {
	if !b.answered || b.served || b.expectsCalls() {
		return false
	}
	last := b.settled
	b.settled = time.Now()
	if b.settled.Sub(last) > parkWithin || b.awaited() {
		return false
	}
	b.role.enter(roleFree)
	b.watch.begin()
	if b.wanted() {
		b.rouse() // for one that found us reading
	}
	<-b.handover
	return true
}

// parkWithin is how long two answers may be apart for the base reader to expect
// the next call before the watch would wake it.
const parkWithin = 2 * watchTick
