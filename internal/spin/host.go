package spin

import (
	"runtime"
	"sync"
	"time"
)

// tick is the time between two yields.
const tick = 1500 * time.Nanosecond

// A host is what a Poller sees of the machine; tests put their own in.
type host struct {
	now           func() time.Duration // never 0
	yield         func(goroutines bool)
	parallel      func() bool
	pausesPerTick func() uint32
}

var realHost = host{
	now:           now,
	yield:         yield,
	parallel:      parallel,
	pausesPerTick: sync.OnceValue(pausesPerTick),
}

var epoch = time.Now().Add(-time.Second)

func now() time.Duration { return time.Since(epoch) }

// yield lets other processes run, and other goroutines too if told so.
func yield(goroutines bool) {
	if goroutines {
		runtime.Gosched()
	}
	yieldProcessor()
}

// parallel reports whether somebody else can run while we poll.
func parallel() bool { return runtime.NumCPU() > 1 && runtime.GOMAXPROCS(0) > 1 }

// pausesPerTick measures how many pauses fill a tick: processors differ by a
// factor of fifteen. The quickest of three looks is the one nobody disturbed.
func pausesPerTick() uint32 {
	const sample = 32
	quickest := time.Hour
	for range 3 {
		start := now()
		Pause(sample)
		quickest = min(quickest, now()-start)
	}
	return uint32(min(max(sample*tick/max(quickest, 1), 4), 4096))
}
