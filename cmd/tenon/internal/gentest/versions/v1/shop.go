// Package v1 is a contract as it was; package v2 is what became of it.
package v1

import "context"

//go:generate go run github.com/tenon-go/tenon/cmd/tenon gen

// Shop has a method for every kind of change.
//
//tenon:service name=shop.Shop
type Shop interface {
	FieldAppended(ctx context.Context, o Order) (Order, error)
	OptionalAppended(ctx context.Context, h Hint) (Hint, error)
	Renamed(ctx context.Context, c Customer) (Customer, error)
	RenamedSilently(ctx context.Context, c Carrier) error
	TypeChanged(ctx context.Context, p Price) (Price, error)
	ArgumentAppended(ctx context.Context, text string) (found string, err error)
	ResultAppended(ctx context.Context) (first int, err error)
	EnumGrown(ctx context.Context, l Level) (Level, error)
	Embedded(ctx context.Context, i Item) error
	Removed(ctx context.Context) error
}

type Order struct {
	ID    int64
	Lines []Line
}

type Line struct{ Article string }

type Hint struct{ Text string }

type Customer struct{ Name string }

type Carrier struct{ Name string }

type Price struct{ Amount int32 }

type Level int

const (
	Low  Level = 1
	High Level = 2
)

type Item struct {
	ID   int64
	Note string
}
