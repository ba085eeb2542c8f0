package shop

import (
	"context"
	"iter"
)

// Depot has streams and functions.
//
//tenon:service
type Depot interface {
	// Watch counts, until nobody wants to know any more.
	Watch(ctx context.Context, from int) iter.Seq2[Article, error]

	// Import returns how many articles there were, and how long all of their names.
	Import(ctx context.Context, articles iter.Seq2[Article, error]) (count, length int, err error)

	// Weigh ends with an error at the first article without a stock.
	Weigh(ctx context.Context, articles iter.Seq2[Article, error]) iter.Seq2[int, error]

	// Sort sends articles with a stock one way and others another.
	Sort(ctx context.Context, articles iter.Seq2[Article, error]) (there, missing iter.Seq2[string, error])

	// Pair reads all of the one and then all of the other.
	Pair(ctx context.Context, left, right iter.Seq2[string, error]) (map[string]string, error)

	// Pack reports its progress in both ways and asks.
	Pack(ctx context.Context, boxes int, report func(done, total int),
		confirm func(ctx context.Context, question string, a Article) (sure bool, remark string, err error)) (string, error)

	Note(ctx context.Context, text string)
}
