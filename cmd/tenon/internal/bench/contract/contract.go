// Package contract is what the process on the other side of tenon bench serves.
package contract

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"
)

//go:generate go run github.com/tenon-go/tenon/cmd/tenon gen

// Bench is what tenon bench calls.
//
//tenon:service
type Bench interface {
	// Add is the smallest call that does something.
	Add(ctx context.Context, a, b int64) (int64, error)
	// Echo returns the user it was given.
	Echo(ctx context.Context, user User) (User, error)
	// List returns the first n users, MaxList at most.
	List(ctx context.Context, n int) ([]User, error)
	// Upload takes a large argument and returns its length.
	Upload(ctx context.Context, data []byte) (int, error)
	// Items is a stream of items without an end.
	Items(ctx context.Context) iter.Seq2[Item, error]
	// Pieces is a stream of pieces of so many bytes without an end.
	Pieces(ctx context.Context, size int) iter.Seq2[[]byte, error]
	// Collect takes a stream of items and returns how many there were.
	Collect(ctx context.Context, items iter.Seq2[Item, error]) (int, error)
}

// Control is how tenon bench tells the other process what to do, and asks what
// it used.
//
//tenon:service
type Control interface {
	// Usage is what the process has used since it started.
	Usage(ctx context.Context) (Usage, error)
	// Listen makes the process serve Bench over TCP to whoever knows the token,
	// with TLS if secure is set. It returns its address and its certificate, in
	// DER.
	Listen(ctx context.Context, secure bool, token string) (address string, certificate []byte, err error)
	// WriteRing writes count messages of size bytes into the ring in the memory
	// that was passed on to the process.
	WriteRing(ctx context.Context, size, count int) error
}

// Usage is what a process has used.
type Usage struct {
	CPU         time.Duration
	Allocations uint64
}

// An Item is the small item of a stream, 17 bytes.
type Item struct {
	ID   int64
	Name string
}

// AnItem is an item.
var AnItem = Item{1_000_000, "small item"}

// A User is the object that travels: about 90 bytes of content.
type User struct {
	ID      int64
	Name    string
	Email   string
	Age     int32
	Active  bool
	Score   float64
	Created time.Time
	Tags    []string
}

// MaxList is how many users there are.
const MaxList = 100

// Users returns n users, the same ones on every call. They are shared: do not
// change them.
func Users(n int) []User { return users()[:n:n] }

// users is made when it is first asked for: it must not count as start-up.
var users = sync.OnceValue(func() []User {
	created := time.Date(2026, 11, 1, 8, 30, 0, 123456789, time.UTC)
	list := make([]User, MaxList)
	for i := range list {
		list[i] = User{
			ID:      1_000_000 + int64(i),
			Name:    fmt.Sprintf("Ada Lovelace %04d", i),
			Email:   fmt.Sprintf("ada.%04d@example.org", i),
			Age:     int32(20 + i%60),
			Active:  i%3 != 0,
			Score:   float64(i) * 1.25,
			Created: created.Add(time.Duration(i) * time.Minute),
			Tags:    []string{"engine", "analyst"},
		}
	}
	return list
})
