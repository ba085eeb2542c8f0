package spin

import (
	"math/bits"
	"time"
)

// DefaultBudget is how long a wait polls at most before it sleeps.
const DefaultBudget = 100 * time.Microsecond

const (
	stall      = time.Millisecond       // a yield longer than this: others need the processor
	minHoldoff = 2 * time.Millisecond   // how long not to poll after a stall, doubling
	maxHoldoff = 250 * time.Millisecond // up to this while stalls follow each other
	recheck    = time.Second            // how often to ask for the number of processors
	changed    = time.Microsecond       // a yield longer than this: somebody else ran

	// Goroutines get their turn with the yield after so many, and then with every
	// so many. Where a P is idle, Gosched wakes a thread to look for work, which
	// takes a processor for some microseconds: perhaps the one that the peer
	// needs. With a turn in every yield one call in 17 woke a thread, with the
	// first turn after three one in 300.
	firstTurn = 3
	nextTurns = 16

	// While a peer shares our processor, every so many waits sleep instead: the
	// system puts whoever wakes up on an idle processor, if there is one.
	sharedWaits = 32

	// Four gaps are remembered, one bit each. A wait polls while two of them
	// fitted the budget: one odd gap changes nothing, and a peer that turns
	// fast or slow is followed after three waits.
	remembered = 0b1111
	enough     = 2
)

// A Poller is the adaptive polling budget of one waiting side. It predicts from
// the last gaps between the start of a wait and its end, slept through or not:
// while they fit the budget it polls, and when they do not it never starts. So
// a peer that answers after a millisecond costs no polling, and one that
// answers at once is polled for again although its last answers had to wake a
// sleeper. One goroutine uses a Poller at a time. The zero value never polls.
type Poller struct {
	budget   time.Duration
	perTick  uint32 // pauses between two yields
	parallel bool   // several processors, as of the last look
	polling  bool   // in this wait
	fits     uint8  // a bit per remembered gap, the last one lowest: it fitted the budget
	spun     uint32 // pauses since the last yield
	unshared uint32 // yields until one lets goroutines run too
	others   bool   // the last yield let somebody else run
	shared   uint32 // waits that a peer on our processor was to end
	beside   bool   // the peer shares our processor: it ran in the yield that ended the last wait

	begun   time.Duration // when this wait began; 0: too young to have looked
	off     time.Duration // no polling before this moment
	holdoff time.Duration // the length of the last such time
	calm    time.Duration // a stall after this moment is a first one again
	check   time.Duration // when to ask again for the number of processors

	host *host
}

// New returns a Poller with the given budget; 0 or less never polls.
func New(budget time.Duration) Poller {
	return newPoller(budget, &realHost)
}

func newPoller(budget time.Duration, h *host) Poller {
	p := Poller{budget: max(budget, 0), fits: remembered, host: h}
	if p.budget > 0 {
		p.perTick = h.pausesPerTick()
		p.parallel = h.parallel()
		p.check = h.now() + recheck
	}
	return p
}

// Begin starts a wait.
func (p *Poller) Begin() {
	if p.budget == 0 {
		return
	}
	p.spun, p.begun = 0, 0
	p.polling = p.parallel && p.off == 0 && bits.OnesCount8(p.fits) >= enough
	if p.beside {
		p.spun = p.perTick - 1 // nothing comes before the peer can run
		if p.shared++; p.shared%sharedWaits == 0 {
			p.polling = false
		}
	} else {
		p.unshared = firstTurn
	}
	if !p.polling {
		// About to sleep: here the clock is cheap beside the rest.
		p.begun = p.host.now()
		p.look(p.begun)
	}
}

// Again passes a moment and reports whether to look once more. When it answers
// false the caller goes to sleep.
func (p *Poller) Again() bool {
	if !p.polling {
		return false
	}
	Pause(1)
	if p.spun++; p.spun < p.perTick {
		return true
	}
	p.spun = 0
	before := p.host.now()
	if p.begun == 0 {
		p.begun = before
	}
	goroutines := p.unshared == 0
	if goroutines {
		p.unshared = nextTurns
	}
	p.unshared--
	p.host.yield(goroutines)
	after := p.host.now()
	p.others = after-before > changed
	if after-before > stall {
		p.holdOff(after)
		return false
	}
	p.look(after)
	p.polling = p.parallel && after-p.begun < p.budget
	return p.polling
}

// holdOff stops polling for a while, a longer one each time until it pays again.
func (p *Poller) holdOff(now time.Duration) {
	if now >= p.calm {
		p.holdoff = minHoldoff
	} else {
		p.holdoff = min(2*p.holdoff, maxHoldoff)
	}
	p.off = now + p.holdoff
	p.calm = p.off + 16*p.holdoff
	p.polling = false
}

// End says that what was waited for has come. A wait that was broken off has no
// End: it teaches nothing.
func (p *Poller) End() {
	if p.budget == 0 {
		return
	}
	p.beside = p.polling && p.begun != 0 && p.spun == 0 && p.others
	p.fits = p.fits << 1 & remembered
	if p.begun == 0 || p.host.now()-p.begun <= p.budget {
		p.fits |= 1
	}
}

// Since returns the moment at which this wait began, for Quick; 0 if it is young
// and polling.
func (p *Poller) Since() time.Duration { return p.begun }

// Abandon ends a wait that goes on elsewhere. It counts as a long one if the
// budget is spent.
func (p *Poller) Abandon() {
	if p.begun != 0 && p.host.now()-p.begun >= p.budget {
		p.fits = p.fits << 1 & remembered
	}
}

// Quick reports whether a wait that was abandoned, having begun at since, has
// fitted the budget all the same. Any goroutine may ask.
func Quick(since, budget time.Duration) bool { return since != 0 && now()-since <= budget }

// Note says that so many waits that were abandoned have fitted the budget.
func (p *Poller) Note(quick int) {
	for range min(quick, 4) {
		p.fits = p.fits<<1&remembered | 1
	}
}

// look does what depends on the time of day.
func (p *Poller) look(now time.Duration) {
	if now >= p.off {
		p.off = 0
	}
	if now >= p.check {
		p.check = now + recheck
		p.parallel = p.host.parallel()
	}
}
