//go:build linux

package pool_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/tenon-go/tenon/pool"
)

// Throughput of a pool of worker processes for sixteen callers: calls that keep a
// core busy for about a millisecond, one at a time per worker, so that workers
// share the cores; and calls that do nothing, any number at a time, which cost
// what tenon costs.
func BenchmarkWorkers(b *testing.B) {
	for _, call := range []struct {
		name, order string
		concurrency int
	}{{"cpu", "work 10000", 1}, {"tiny", "pid", 0}} {
		for _, n := range []int{1, 2, 4} {
			b.Run(fmt.Sprintf("%s/workers=%d", call.name, n), func(b *testing.B) {
				p := newPool(b, n, startWorker, pool.Concurrency(call.concurrency))
				ctx := context.Background()
				b.SetParallelism(8)
				b.ResetTimer()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if _, err := do.Call(ctx, p, call.order); err != nil {
							b.Error(err)
							return
						}
					}
				})
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
			})
		}
	}
}
