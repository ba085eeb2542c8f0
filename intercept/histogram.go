package intercept

import (
	"math/bits"
	"sync/atomic"
	"time"
)

const (
	// Between two powers of two there are 8 buckets, so that the middle of one is
	// at most a 16th (6.25%) away from what is in it.
	subBits  = 3
	nBuckets = (64 - subBits) << subBits
)

// A histogram counts durations in buckets that grow with them. Adding takes no
// lock. Its 488 counters take 4 KiB.
type histogram struct {
	buckets [nBuckets]atomic.Uint64
	sum     atomic.Int64 // ns
	max     atomic.Int64 // ns
}

// bucketOf returns the bucket of v nanoseconds.
func bucketOf(v uint64) int {
	if v < 1<<subBits {
		return int(v)
	}
	shift := bits.Len64(v) - subBits - 1
	return shift<<subBits + int(v>>shift)
}

// bucketFrom returns the smallest value of bucket i.
func bucketFrom(i int) uint64 {
	if i < 1<<subBits {
		return uint64(i)
	}
	shift := i>>subBits - 1
	return uint64(1<<subBits+i&(1<<subBits-1)) << shift
}

func (h *histogram) add(d time.Duration) {
	d = max(d, 0)
	h.buckets[bucketOf(uint64(d))].Add(1)
	h.sum.Add(int64(d))
	for {
		old := h.max.Load()
		if int64(d) <= old || h.max.CompareAndSwap(old, int64(d)) {
			return
		}
	}
}

// A Histogram is what the durations of a method's calls were like.
type Histogram struct {
	Count uint64
	Sum   time.Duration
	Max   time.Duration

	counts []uint64
}

func (h *histogram) snapshot() Histogram {
	s := Histogram{Sum: time.Duration(h.sum.Load()), Max: time.Duration(h.max.Load()), counts: make([]uint64, nBuckets)}
	for i := range h.buckets {
		s.counts[i] = h.buckets[i].Load()
		s.Count += s.counts[i]
	}
	return s
}

// Mean returns the mean duration, 0 without calls.
func (h Histogram) Mean() time.Duration {
	return h.Sum / time.Duration(max(h.Count, 1))
}

// Quantile returns the duration that a share q of the calls, 0 to 1, did not
// exceed: 0.5 is the median. It is off by 7% at most; 0 without calls.
func (h Histogram) Quantile(q float64) time.Duration {
	rank := uint64(q * float64(h.Count))
	seen := uint64(0)
	for i, n := range h.counts {
		if seen += n; seen > rank || n > 0 && seen == h.Count {
			from, to := bucketFrom(i), bucketFrom(i+1)
			return min(time.Duration((from+to-1)/2), h.Max)
		}
	}
	return 0
}

// Buckets calls yield for each bucket that has calls, in order: n calls took
// from or longer, and less than to.
func (h Histogram) Buckets(yield func(from, to time.Duration, n uint64) bool) {
	for i, n := range h.counts {
		if n > 0 && !yield(time.Duration(bucketFrom(i)), time.Duration(bucketFrom(i+1)), n) {
			return
		}
	}
}
