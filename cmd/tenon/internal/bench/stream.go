package bench

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/tenon-go/tenon/cmd/tenon/internal/bench/contract"
)

const (
	// streamBatch is how many items pass from one look at the clock to the next.
	streamBatch = 256
	// pieceBatch is the same for pieces.
	pieceBatch = 16
)

func streamOut(ctx context.Context, t trial) (figures, error) {
	return t.measure(ctx, taking(streamBatch, func() iter.Seq2[contract.Item, error] { return t.side.bench.Items(ctx) }))
}

func streamPieces(size int) func(context.Context, trial) (figures, error) {
	return func(ctx context.Context, t trial) (figures, error) {
		return t.measure(ctx, taking(pieceBatch, func() iter.Seq2[[]byte, error] { return t.side.bench.Pieces(ctx, size) }))
	}
}

// taking takes items of a stream for a while, and leaves it.
func taking[T any](batch int, open func() iter.Seq2[T, error]) func(time.Duration, *samples) (counted, error) {
	return func(d time.Duration, into *samples) (n counted, err error) {
		begin := time.Now()
		items := 0
		for _, err := range open() {
			if err != nil {
				return n, err
			}
			if items++; items%batch > 0 {
				continue
			}
			now := time.Since(begin)
			record(into, now-n.took)
			n.took, n.calls = now, items
			if n.calls >= least*batch && n.took >= d {
				break
			}
		}
		return n, nil
	}
}

// streamIn sends items for a while; the last of them have been taken when the
// call returns.
func streamIn(ctx context.Context, t trial) (figures, error) {
	return t.measure(ctx, func(d time.Duration, into *samples) (n counted, err error) {
		begin := time.Now()
		sent := 0
		taken, err := t.side.bench.Collect(ctx, func(yield func(contract.Item, error) bool) {
			for last := time.Duration(0); sent < least*streamBatch || last < d; {
				for range streamBatch {
					if !yield(contract.AnItem, nil) {
						return
					}
				}
				sent += streamBatch
				now := time.Since(begin)
				record(into, now-last)
				last = now
			}
		})
		if err == nil && taken != sent {
			err = fmt.Errorf("%d items were sent and %d taken", sent, taken)
		}
		return counted{calls: sent, took: time.Since(begin)}, err
	})
}
