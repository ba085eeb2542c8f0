// Package shop is the contract of the process that the tests of "tenon ls" and
// "tenon call" talk to.
package shop

import (
	"context"
	"errors"
	"math/big"
	"net/netip"
	"time"
)

//go:generate go run github.com/tenon-go/tenon/cmd/tenon gen

// ErrSoldOut is answered for articles that are not there.
//
//tenon:error
var ErrSoldOut = errors.New("sold out")

// Shop sells articles.
//
//tenon:service
type Shop interface {
	Price(ctx context.Context, article string, count uint64) (uint64, error)
	Order(ctx context.Context, order Order) (receipt Receipt, left int, err error)
	Articles(context.Context, []string) ([]Article, map[int64]time.Duration, error)
	Data(ctx context.Context, data []byte) ([]byte, error)
	Wait(ctx context.Context, d time.Duration) error
	Metadata(ctx context.Context) (map[string]string, error)
	Panic(ctx context.Context) error
}

// Clock is another service of the same process.
//
//tenon:service name=time.Clock
type Clock interface {
	Now(ctx context.Context, zone Zone) (time.Time, error)
}

type Zone struct{ Name string }

type Order struct {
	ID       int64
	Customer Customer
	Lines    []Line
	Note     string `tenon:",optional"`
	Coupon   *string
}

type Customer struct {
	FullName string `tenon:"was=Name"`
	From     netip.Addr
}

type Line struct {
	Article string
	Count   uint64
	Level   Level
}

type Level int

const (
	Urgent Level = iota - 1
	Normal
	Whenever
)

type Receipt struct {
	Order   Order
	Number  *big.Int
	Total   float64
	At      time.Time
	Picture []byte
	Related *Receipt
}

type Article struct {
	Name  string
	Stock int
}
