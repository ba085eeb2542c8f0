// Package v2 is the contract of package v1 after years.
package v2

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
	ArgumentAppended(ctx context.Context, text string, limit int) (found string, err error)
	ResultAppended(ctx context.Context) (first, second int, err error)
	EnumGrown(ctx context.Context, l Level) (Level, error)
	Embedded(ctx context.Context, i Item) error
	Added(ctx context.Context) error
}

type Order struct {
	ID     int64
	Lines  []Line
	Coupon string
}

type Line struct {
	Article string
	Count   int
}

type Hint struct {
	Text     string
	Language string `tenon:",optional"`
}

type Customer struct {
	FullName string `tenon:"was=Name"`
}

type Carrier struct{ Company string }

type Price struct{ Amount float64 }

type Level int

const (
	Low     Level = 1
	High    Level = 2
	Extreme Level = 3
)

type Base struct{ ID int64 }

type Item struct {
	Base
	Note string
}
