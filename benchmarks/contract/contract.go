// Package contract holds what every peer of the benchmarks serves: one interface,
// one object, one implementation.
package contract

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

//go:generate go tool tenon gen

// Directory is the contract. Peers with a schema language of their own serve
// the same methods from pb/contract.proto.
//
//tenon:service
type Directory interface {
	// Add is the smallest call that does something.
	Add(ctx context.Context, a, b int64) (int64, error)
	// Echo returns the user it was given.
	Echo(ctx context.Context, user User) (User, error)
	// List returns the first n users, MaxList at most.
	List(ctx context.Context, n int) ([]User, error)
	// Upload takes a large argument and returns its length.
	Upload(ctx context.Context, data []byte) (int, error)
}

// A User is the object that all peers carry: about 90 bytes of content.
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

// Equal compares the content. Not every peer keeps the time zone.
func (u User) Equal(v User) bool {
	return u.ID == v.ID && u.Name == v.Name && u.Email == v.Email && u.Age == v.Age && u.Active == v.Active &&
		u.Score == v.Score && u.Created.Equal(v.Created) && slices.Equal(u.Tags, v.Tags)
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

// Local is the implementation that all peers serve. It does as little as it
// can: what is measured is the way there and back.
type Local struct{}

func (Local) Add(_ context.Context, a, b int64) (int64, error) { return a + b, nil }

func (Local) Echo(_ context.Context, user User) (User, error) { return user, nil }

func (Local) List(_ context.Context, n int) ([]User, error) {
	if n < 0 || n > MaxList {
		return nil, fmt.Errorf("there are %d users, not %d", MaxList, n)
	}
	return Users(n), nil
}

func (Local) Upload(_ context.Context, data []byte) (int, error) { return len(data), nil }
