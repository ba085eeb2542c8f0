package bench

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A samples is how long things took, to within a thousandth.
type samples = hdrhistogram.Histogram

func newSamples() *samples { return hdrhistogram.New(1, int64(time.Minute), 3) }

// A figures is what one round measured of a case, per call and in nanoseconds.
type figures struct{ P50, P99, PerCall, CPU, Allocs float64 }

// A trial is one round of a case of a channel.
type trial struct {
	channel channel
	side    *side
	each    time.Duration
	samples *samples // of all rounds
}

// A counted is how often something was called, and how long all of it took.
type counted struct {
	calls int
	took  time.Duration
}

// measure runs run for a while without looking, then again, and looks at what
// both sides have used before and after. run calls for a while and records how long its calls take.
func (t trial) measure(ctx context.Context, run func(d time.Duration, into *samples) (counted, error)) (figures, error) {
	into := newSamples()
	if _, err := run(t.each/4, into); err != nil { // warms up
		return figures{}, err
	}
	into.Reset()
	runtime.GC() // leaves what others have allocated behind
	before, err := t.side.usage(ctx)
	if err != nil {
		return figures{}, err
	}
	n, err := run(t.each, into)
	if err != nil {
		return figures{}, err
	}
	after, err := t.side.usage(ctx)
	if err != nil {
		return figures{}, err
	}
	t.samples.Merge(into)
	return figures{
		P50:     float64(into.ValueAtPercentile(50)),
		P99:     float64(into.ValueAtPercentile(99)),
		PerCall: float64(n.took) / float64(n.calls),
		CPU:     float64(after.CPU-before.CPU) / float64(n.calls),
		Allocs:  float64(after.Allocations-before.Allocations) / float64(n.calls),
	}, nil
}

// record counts a time; a longer one than can be counted counts as the longest.
func record(into *samples, d time.Duration) {
	_ = into.RecordValue(int64(min(d, time.Minute)))
}

// least is how often at least something is called, however long it takes.
const least = 3

// alone calls again and again from one goroutine.
func alone(call func() error) func(time.Duration, *samples) (counted, error) {
	return func(d time.Duration, into *samples) (n counted, err error) {
		begin := time.Now()
		for n.calls < least || n.took < d {
			if err := call(); err != nil {
				return n, err
			}
			now := time.Since(begin)
			record(into, now-n.took)
			n.took = now
			n.calls++
		}
		return n, nil
	}
}

// apart calls with pauses, in which the other side falls asleep. Their time is
// not counted.
func apart(pause time.Duration, call func() error) func(time.Duration, *samples) (counted, error) {
	return func(d time.Duration, into *samples) (n counted, err error) {
		for begin := time.Now(); n.calls < least || time.Since(begin) < d; n.calls++ {
			time.Sleep(pause)
			called := time.Now()
			if err := call(); err != nil {
				return n, err
			}
			took := time.Since(called)
			record(into, took)
			n.took += took
		}
		return n, nil
	}
}

// crowd has many goroutines call at once.
func crowd(callers int, call func() error) func(time.Duration, *samples) (counted, error) {
	each := make([]*samples, callers)
	for i := range each {
		each[i] = hdrhistogram.New(1, int64(time.Minute), 2)
	}
	return func(d time.Duration, into *samples) (n counted, err error) {
		var (
			group sync.WaitGroup
			over  atomic.Bool
			mu    sync.Mutex
		)
		timer := time.AfterFunc(d, func() { over.Store(true) })
		defer timer.Stop()
		begin := time.Now()
		for _, own := range each {
			own.Reset()
			group.Go(func() {
				calls := 0
				var failed error
				for last := begin; calls == 0 || !over.Load(); calls++ {
					if failed = call(); failed != nil {
						over.Store(true)
						break
					}
					now := time.Now()
					record(own, now.Sub(last))
					last = now
				}
				mu.Lock()
				defer mu.Unlock()
				into.Merge(own)
				n.calls += calls
				if err == nil {
					err = failed
				}
			})
		}
		group.Wait()
		n.took = time.Since(begin)
		return n, err
	}
}

// batch has one goroutine start many calls and then wait for them. What is
// recorded is how long a whole batch takes.
func batch(calls int, start func() (wait func() error)) func(time.Duration, *samples) (counted, error) {
	waits := make([]func() error, calls)
	one := alone(func() error {
		for i := range waits {
			waits[i] = start()
		}
		for _, wait := range waits {
			if err := wait(); err != nil {
				return err
			}
		}
		return nil
	})
	return func(d time.Duration, into *samples) (counted, error) {
		n, err := one(d, into)
		n.calls *= calls
		return n, err
	}
}
