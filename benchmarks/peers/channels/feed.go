package channels

import (
	"context"
	"errors"
	"iter"

	"github.com/tenon-go/tenon/benchmarks/contract"
)

// feed carries each stream through a buffered channel between two goroutines.
type feed struct{}

const buffered = 1024

func (feed) Items(ctx context.Context, n int) iter.Seq2[contract.Item, error] {
	return through(contract.Local{}.Items(ctx, n))
}

func (feed) Users(ctx context.Context, n int) iter.Seq2[contract.User, error] {
	return through(contract.Local{}.Users(ctx, n))
}

// Pieces would measure nothing, as uploads would.
func (feed) Pieces(context.Context, int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) { yield(nil, errors.ErrUnsupported) }
}

func (feed) Collect(ctx context.Context, items iter.Seq2[contract.Item, error]) (int, error) {
	return contract.Local{}.Collect(ctx, through(items))
}

func (feed) Exchange(ctx context.Context, items iter.Seq2[contract.Item, error]) iter.Seq2[contract.Item, error] {
	return through(contract.Local{}.Exchange(ctx, through(items)))
}

// through ranges over seq on a goroutine of its own. The loop takes all of it.
func through[T any](seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		values := make(chan T, buffered)
		go func() {
			defer close(values)
			for v, err := range seq {
				if err != nil {
					return // nothing fails here
				}
				values <- v
			}
		}()
		for v := range values {
			if !yield(v, nil) {
				return
			}
		}
	}
}
