package intercept

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestBucketsHaveNoGaps(t *testing.T) {
	for i := range nBuckets {
		from := bucketFrom(i)
		if bucketOf(from) != i || i > 0 && bucketOf(from-1) != i-1 {
			t.Fatalf("bucket %d begins at %d, which is in bucket %d", i, from, bucketOf(from))
		}
	}
	if i := bucketOf(math.MaxInt64); i != nBuckets-1 {
		t.Errorf("the longest time is in bucket %d of %d", i, nBuckets)
	}
}

func TestQuantilesAreOffBy7PercentAtMost(t *testing.T) {
	var h histogram
	random := rand.New(rand.NewPCG(1, 2))
	times := make([]time.Duration, 10_000)
	var sum time.Duration
	for i := range times {
		times[i] = time.Duration(math.Exp(random.Float64() * 25)) // 1 ns to 72 s
		sum += times[i]
		h.add(times[i])
	}
	slices.Sort(times)
	s := h.snapshot()
	for _, q := range []float64{0, 0.01, 0.5, 0.9, 0.99, 0.999, 1} {
		want, got := times[min(int(q*10_000), 9999)], s.Quantile(q)
		if d := math.Abs(float64(got-want)) / float64(want); d > 0.07 {
			t.Errorf("%v: %v, off by %.3f of %v", q, got, d, want)
		}
	}
	if s.Count != 10_000 || s.Max != times[9999] || s.Mean() != sum/10_000 {
		t.Errorf("count %d, max %v, mean %v", s.Count, s.Max, s.Mean())
	}
	seen, last := uint64(0), time.Duration(0)
	for from, to := range bounds(s.Buckets, &seen) {
		if from < last || to <= from {
			t.Fatalf("a bucket from %v to %v after one to %v", from, to, last)
		}
		last = to
	}
	if seen != 10_000 {
		t.Errorf("%d in all buckets", seen)
	}
	var none Histogram
	if none.Quantile(0.5) != 0 || none.Mean() != 0 {
		t.Error("no calls took time")
	}
}

// bounds ranges over buckets and adds up what is in them.
func bounds(buckets func(func(from, to time.Duration, n uint64) bool), seen *uint64) func(func(from, to time.Duration) bool) {
	return func(yield func(from, to time.Duration) bool) {
		buckets(func(from, to time.Duration, n uint64) bool {
			*seen += n
			return yield(from, to)
		})
	}
}
