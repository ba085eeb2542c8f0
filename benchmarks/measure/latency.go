package measure

import (
	"runtime"
	"slices"
	"time"

	"github.com/tenon-go/tenon/benchmarks/result"
)

// samples is memory for the times of single calls, touched before it is used.
var samples = func() []uint32 {
	s := make([]uint32, 1<<20)
	for i := range s {
		s[i] = 1
	}
	return s
}()

// A use is what a call used: allocations of this process, and nanoseconds of CPU
// time of both sides, 0 where that is not known.
type use struct{ allocs, cpu float64 }

// latency calls again and again, alone, and looks at the clock once per call.
func latency(each time.Duration, call func() error) (l result.Latency, used use, err error) {
	if err := warm(each/4, call); err != nil {
		return l, used, err
	}
	settle()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work := StartWork()
	begin := time.Now()
	last := time.Duration(0)
	n := 0
	for n < len(samples) && last < each {
		if err := call(); err != nil {
			return l, used, err
		}
		now := time.Since(begin)
		samples[n] = uint32(min(now-last, 1<<32-1))
		last = now
		n++
	}
	if done, ok := work.Done(); ok {
		used.cpu = float64(done) / float64(n)
	}
	runtime.ReadMemStats(&after)
	used.allocs = float64(after.Mallocs-before.Mallocs) / float64(n)
	times := samples[:n]
	slices.Sort(times)
	l = result.Latency{
		P50:   float64(times[n/2]),
		P99:   float64(times[n*99/100]),
		Mean:  float64(last) / float64(n),
		Calls: n,
	}
	for _, share := range result.Shares {
		l.Quantiles = append(l.Quantiles, float64(times[int(float64(n)*share/100)]))
	}
	return l, used, nil
}

// warm calls for a while without looking, twice at least.
func warm(d time.Duration, call func() error) error {
	begin := time.Now()
	for n := 0; n < 2 || time.Since(begin) < d; n++ {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}
