package spin

import (
	"testing"
	"time"
)

// fakeHost is a machine whose clock moves only by yields.
type fakeHost struct {
	clock    time.Duration
	perYield time.Duration
	yields   int
	turns    int // yields for goroutines
	cpus     int
}

func (f *fakeHost) host() *host {
	return &host{
		now: func() time.Duration { return f.clock },
		yield: func(goroutines bool) {
			f.yields++
			if goroutines {
				f.turns++
			}
			f.clock += f.perYield
		},
		parallel:      func() bool { return f.cpus > 1 },
		pausesPerTick: func() uint32 { return 4 },
	}
}

func newFake() *fakeHost {
	return &fakeHost{clock: time.Hour, perYield: 2 * time.Microsecond, cpus: 2}
}

// wait plays one wait whose end comes after gap, and reports whether it was
// seen while polling.
func (f *fakeHost) wait(p *Poller, gap time.Duration) (polled bool) {
	due := f.clock + gap
	p.Begin()
	for f.clock < due {
		if !p.Again() {
			f.clock = max(f.clock, due)
			p.End()
			return false
		}
	}
	p.End()
	return true
}

func TestFastPeerIsPolledFor(t *testing.T) {
	f := newFake()
	f.perYield = 500 * time.Nanosecond
	p := newPoller(100*time.Microsecond, f.host())
	for i := range 100 {
		if !f.wait(&p, 10*time.Microsecond) {
			t.Fatalf("wait %d slept", i)
		}
	}
}

func TestSlowPeerIsNotPolledFor(t *testing.T) {
	f := newFake()
	p := newPoller(100*time.Microsecond, f.host())
	for range 4 {
		f.wait(&p, time.Millisecond)
	}
	f.yields = 0
	for range 100 {
		f.wait(&p, time.Millisecond)
	}
	if f.yields != 0 {
		t.Fatalf("polled %d ticks for a peer that never came in time", f.yields)
	}
}

func TestPollingReturnsWhenSleepsBecomeShort(t *testing.T) {
	f := newFake()
	p := newPoller(100*time.Microsecond, f.host())
	for range 8 {
		f.wait(&p, time.Millisecond)
	}
	waits := 0
	for !f.wait(&p, 30*time.Microsecond) { // the gap of a wake-up
		if waits++; waits > 4 {
			t.Fatal("still asleep after 4 short gaps")
		}
	}
}

func TestOneSlowAnswerDoesNotEndPolling(t *testing.T) {
	f := newFake()
	p := newPoller(100*time.Microsecond, f.host())
	f.wait(&p, time.Second)
	if !f.wait(&p, 10*time.Microsecond) {
		t.Fatal("slept after a single slow answer")
	}
}

func TestBudgetBoundsOneWait(t *testing.T) {
	f := newFake()
	p := newPoller(100*time.Microsecond, f.host())
	begun := f.clock
	p.Begin()
	for p.Again() {
	}
	if spent := f.clock - begun; spent > 102*time.Microsecond {
		t.Fatalf("polled for %v", spent)
	}
}

func TestNoPollingWithoutBudgetOrProcessors(t *testing.T) {
	f := newFake()
	zero := newPoller(0, f.host())
	f.cpus = 1
	alone := newPoller(time.Second, f.host())
	for name, p := range map[string]*Poller{"no budget": &zero, "one processor": &alone, "zero value": {}} {
		if f.wait(p, time.Microsecond) {
			t.Errorf("%s: polled", name)
		}
	}
	// A second processor is noticed later.
	f.cpus = 2
	f.wait(&alone, 2*time.Second)
	f.wait(&alone, time.Microsecond)
	if !f.wait(&alone, time.Microsecond) {
		t.Error("never noticed the second processor")
	}
}

func TestStalledYieldStopsPollingForAWhile(t *testing.T) {
	f := newFake()
	p := newPoller(100*time.Microsecond, f.host())
	stallOnce := func() (away time.Duration) {
		f.perYield = 5 * time.Millisecond
		for f.wait(&p, 20*time.Microsecond) {
		}
		f.perYield = 2 * time.Microsecond
		begun := f.clock
		for !f.wait(&p, 20*time.Microsecond) {
		}
		return f.clock - begun
	}
	if away := stallOnce(); away < minHoldoff || away > 2*minHoldoff {
		t.Errorf("after one stall: away for %v", away)
	}
	for range 10 {
		stallOnce()
	}
	if away := stallOnce(); away < maxHoldoff || away > 2*maxHoldoff {
		t.Errorf("after many stalls: away for %v", away)
	}
	f.clock += 100 * maxHoldoff
	if away := stallOnce(); away > 2*minHoldoff {
		t.Errorf("a stall after a calm time: away for %v", away)
	}
}

// TestPeerOnOurProcessorIsYieldedToAtOnce has a peer that answers only while we
// yield, and then one that runs beside us.
func TestPeerOnOurProcessorIsYieldedToAtOnce(t *testing.T) {
	f := newFake()
	p := newPoller(100*time.Microsecond, f.host())
	pauses := func(answered func() bool) (n int) {
		p.Begin()
		for !answered() {
			n++
			if !p.Again() {
				t.Fatal("gave up")
			}
		}
		p.End()
		return n
	}
	inAYield := func() func() bool {
		before := f.yields
		return func() bool { return f.yields > before }
	}
	if n := pauses(inAYield()); n != 4 {
		t.Errorf("%d pauses before the first yield", n)
	}
	for range 3 {
		if n := pauses(inAYield()); n != 1 {
			t.Errorf("%d pauses before the peer could run", n)
		}
	}
	f.perYield = 100 * time.Nanosecond // nobody else wants the processor
	pauses(inAYield())
	if n := pauses(inAYield()); n != 4 {
		t.Errorf("%d pauses before a yield for nobody", n)
	}
}

// TestSharedProcessorIsSleptOnNowAndThen: only so can the system part the two.
func TestSharedProcessorIsSleptOnNowAndThen(t *testing.T) {
	f := newFake()
	p := newPoller(100*time.Microsecond, f.host())
	slept := 0
	for range 10 * sharedWaits {
		if !f.wait(&p, f.perYield) {
			slept++
		}
	}
	if slept < 9 || slept > 10 {
		t.Errorf("slept %d times in %d waits", slept, 10*sharedWaits)
	}
}

// TestGoroutinesGetTheirTurns counts the yields that let goroutines run.
func TestGoroutinesGetTheirTurns(t *testing.T) {
	for name, c := range map[string]struct {
		perYield, gap time.Duration
		yields, turns int
	}{
		"answers at once":            {100 * time.Nanosecond, 100 * time.Nanosecond, 160, 0},
		"long waits":                 {time.Microsecond, 60 * time.Microsecond, 60, 4},
		"a peer that needs our turn": {2 * time.Microsecond, 2 * time.Microsecond, 160, 160 / nextTurns},
	} {
		f := newFake()
		f.perYield = c.perYield
		p := newPoller(100*time.Microsecond, f.host())
		for f.yields < c.yields {
			f.wait(&p, c.gap)
		}
		if f.yields != c.yields || f.turns != c.turns {
			t.Errorf("%s: %d of %d yields let goroutines run, want %d of %d", name, f.turns, f.yields, c.turns, c.yields)
		}
	}
}

func TestPollerDoesNotAllocate(t *testing.T) {
	p := New(DefaultBudget)
	if n := testing.AllocsPerRun(100, func() {
		p.Begin()
		p.Again()
		p.End()
	}); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

func TestPausesPerTickIsPlausible(t *testing.T) {
	if n := pausesPerTick(); n < 4 || n > 4096 {
		t.Fatal(n)
	}
	Pause(1)
}

func BenchmarkPause(b *testing.B) {
	for b.Loop() {
		Pause(1)
	}
}

func BenchmarkHotWait(b *testing.B) {
	p := New(DefaultBudget)
	for b.Loop() {
		p.Begin()
		p.Again()
		p.End()
	}
}
