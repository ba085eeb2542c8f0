package contract

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
)

// Feed is the part of the contract that has streams.
//
//tenon:service
type Feed interface {
	// Items is a stream of the first n items.
	Items(ctx context.Context, n int) iter.Seq2[Item, error]
	// Users is a stream of n users, who come round again after MaxList.
	Users(ctx context.Context, n int) iter.Seq2[User, error]
	// Pieces is a stream of n pieces of PieceSize bytes.
	Pieces(ctx context.Context, n int) iter.Seq2[[]byte, error]
	// Collect takes a stream of items and returns how many there were.
	Collect(ctx context.Context, items iter.Seq2[Item, error]) (int, error)
	// Exchange returns each item that it takes.
	Exchange(ctx context.Context, items iter.Seq2[Item, error]) iter.Seq2[Item, error]
}

// Back is the part of the contract whose handlers call the caller, once each.
// The peers have nothing to compare it with.
//
//tenon:service
type Back interface {
	// AddBack returns what the Add of the caller's own Directory does.
	AddBack(ctx context.Context, a, b int64) (int64, error)
	// AddWith returns what the function does.
	AddWith(ctx context.Context, a, b int64, add func(ctx context.Context, a, b int64) (int64, error)) (int64, error)
}

// An Item is the small item of all streams: 17 bytes, in MessagePack as in
// protobuf.
type Item struct {
	ID   int64
	Name string
}

// ItemAt is one item of the stream.
func ItemAt(i int) Item { return Item{1_000_000 + int64(i), "small item"} }

// ItemsOf is a stream of the first n items.
func ItemsOf(n int) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for i := range n {
			if !yield(ItemAt(i), nil) {
				return
			}
		}
	}
}

// Collected counts items, which have to be those of ItemsOf.
func Collected(items iter.Seq2[Item, error]) (n int, err error) {
	for item, err := range items {
		if err != nil {
			return n, err
		}
		if item.ID != ItemAt(n).ID || len(item.Name) != len(ItemAt(n).Name) {
			return n, fmt.Errorf("item %d is %+v", n, item)
		}
		n++
	}
	return n, nil
}

// PieceSize is the length of a piece in bytes.
const PieceSize = 64 << 10

// Piece is what all pieces hold, which does not compress. It is shared: do not
// change it.
var Piece = func() []byte {
	b := make([]byte, PieceSize)
	_, _ = rand.NewChaCha8([32]byte{}).Read(b) // never fails
	return b
}()

func (Local) Items(_ context.Context, n int) iter.Seq2[Item, error] { return ItemsOf(n) }

func (Local) Users(_ context.Context, n int) iter.Seq2[User, error] {
	return func(yield func(User, error) bool) {
		list := Users(MaxList)
		for i := range n {
			if !yield(list[i%len(list)], nil) {
				return
			}
		}
	}
}

func (Local) Pieces(_ context.Context, n int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for range n {
			if !yield(Piece, nil) {
				return
			}
		}
	}
}

func (Local) Collect(_ context.Context, items iter.Seq2[Item, error]) (int, error) {
	return Collected(items)
}

func (Local) Exchange(_ context.Context, items iter.Seq2[Item, error]) iter.Seq2[Item, error] {
	return items
}
