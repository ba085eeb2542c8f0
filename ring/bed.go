package ring

import (
	"runtime"
	"sync/atomic"
	"time"
)

// The values of a sleep word.
const (
	awake  = 0
	asleep = 1 // on the wake word
	atDoor = 2 // at the doorbell
)

// A sleeper on a wake word looks around after this time even if nobody wakes
// it. Only a hostile peer, which rewinds the word, makes this necessary.
const lookAround = 500 * time.Millisecond

// idleLooks is how often in a row a sleeper with a doorbell finds nothing new
// on looking around before it moves there.
const idleLooks = 2

// A bed is where one side of a ring sleeps.
type bed struct {
	sleeps   *atomic.Uint32 // announces the sleeper, and where it lies
	wake     *atomic.Uint32 // counts wake-ups; a sleeper may lie on it
	progress *atomic.Uint32 // what the sleeper waits for moves this
	waiter   Waiter

	press func()    // the other side's bed: presses its doorbell; nil: it has none
	door  *doorbell // one's own bed; nil: it has none
}

// rouse wakes the sleeper if one is announced. Its caller has stored before
// what the sleeper waits for; the sleeper announces itself before it looks for
// that a last time. Both are sequentially consistent, so one sees the other.
//
// It takes whatever announcement stands when it takes it: the sleeper may just
// be moving from one place to the other.
func (b *bed) rouse() bool {
	if b.sleeps.Load() == awake {
		return false
	}
	where := b.sleeps.Swap(awake)
	if where != asleep && where != atDoor {
		return false
	}
	b.wake.Add(1)
	if where == atDoor && b.press != nil {
		b.press()
	} else {
		b.waiter.Wake(b.wake)
	}
	return true
}

// kick ends the sleep of one's own side, wherever it lies, and leaves the
// announcement alone.
func (b *bed) kick() {
	b.wake.Add(1)
	b.waiter.Wake(b.wake)
	if b.door != nil {
		b.door.open()
	}
}

// announce says that somebody sleeps, and where. The sleeper may move in
// between, so look again: a waker that found the old place is no loss, because
// whoever announces looks afterwards whether there is something to do.
func (b *bed) announce() {
	for {
		where := b.where()
		b.sleeps.Store(where)
		if b.where() == where {
			return
		}
	}
}

func (b *bed) where() uint32 {
	if b.door == nil {
		return asleep
	}
	return b.door.where.Load()
}

// disarm makes the other side wake nobody.
func (b *bed) disarm() {
	if b.sleeps.Load() != awake {
		b.sleeps.Store(awake)
	}
}

// lie sleeps for a while, on the wake word as long as that is seen, or at the
// doorbell. It may return early.
func (b *bed) lie(seen uint32, longest time.Duration) {
	if b.where() == atDoor {
		<-b.door.rung
		return
	}
	b.waiter.Sleep(b.wake, seen, longest)
}

// A doorbell is where a side waits without a thread. It returns to its wake
// word with its next sleep, while there are not too many threads that sleep so.
type doorbell struct {
	where  atomic.Uint32 // asleep or atDoor; the sleeper writes it
	rung   chan struct{}
	thread bool // the sleeper's: it counts among threads
}

// threads counts the sleepers that have a doorbell and do not use it: each of
// them keeps a thread of the system, which Go never gives back.
var threads atomic.Int32

func maxThreads() int32 { return int32(max(16, 2*runtime.GOMAXPROCS(0))) }

func newDoorbell() *doorbell {
	d := &doorbell{rung: make(chan struct{}, 1)}
	d.where.Store(asleep)
	return d
}

func (d *doorbell) open() {
	select {
	case d.rung <- struct{}{}:
	default: // it was pressed already
	}
}

// enter chooses where to lie, before the announcement.
func (d *doorbell) enter() {
	d.thread = threads.Add(1) <= maxThreads()
	if !d.thread {
		threads.Add(-1)
		d.where.Store(atDoor)
		return
	}
	d.where.Store(asleep)
}

func (d *doorbell) leave() {
	if d.thread {
		d.thread = false
		threads.Add(-1)
	}
}

// move goes to the door if the announcement still stands. Else a waker may
// be on its way to the wake word, or somebody else reads: stay.
//
// An announcement that others make meanwhile may name the place that is left.
// With asleep that is repaired in announce; with atDoor it needs no repair, as
// the press of a doorbell wakes a sleeper wherever it lies.
func (b *bed) move() {
	b.door.where.Store(atDoor)
	if !b.sleeps.CompareAndSwap(asleep, atDoor) && b.sleeps.Load() != atDoor {
		b.door.where.Store(asleep)
		return
	}
	b.door.leave()
}
