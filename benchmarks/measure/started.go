package measure

import (
	"context"
	"time"

	"github.com/tenon-go/tenon/benchmarks/peers/peer"
)

// started has one goroutine start as many calls as parallel has callers, and then
// wait for them. It returns the time per call in nanoseconds.
func started(ctx context.Context, each time.Duration, c peer.Starter) (float64, error) {
	waits := make([]func() (int64, error), callers)
	batch := func() error {
		for i := range waits {
			waits[i] = c.StartAdd(ctx, 4711, 1<<40)
		}
		for _, wait := range waits {
			if sum, err := wait(); err != nil || sum != 1<<40+4711 {
				return wrong("Add", err)
			}
		}
		return nil
	}
	if err := warm(each/4, batch); err != nil {
		return 0, err
	}
	settle()
	begin := time.Now()
	n := 0
	for took := time.Duration(0); n == 0 || took < each; took = time.Since(begin) {
		if err := batch(); err != nil {
			return 0, err
		}
		n++
	}
	return float64(time.Since(begin)) / float64(n*callers), nil
}
