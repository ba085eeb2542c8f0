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
	cpus     int
}

func (f *fakeHost) host() *host {
	return &host{
		now:           func() time.Duration { return f.clock },
		yield:         func() { f.yields++; f.clock += f.perYield },
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
	f.clock += time.Second
	if away := stallOnce(); away > 2*minHoldoff {
		t.Errorf("a stall after a calm time: away for %v", away)
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
