package gentest

import (
	"context"
	"time"
)

// Echo has a method for every way in which a call is measured.
//
//tenon:service
type Echo interface {
	// Add is the smallest call that does something.
	Add(ctx context.Context, a, b int64) (int64, error)
	User(ctx context.Context, user User) (User, error)
	Users(ctx context.Context, users []User) ([]User, error)
	Bytes(ctx context.Context, data []byte) ([]byte, error)
	// Len takes a large argument and answers a small result.
	Len(ctx context.Context, data []byte) (int, error)
	// Make takes a small argument and answers a large result.
	Make(ctx context.Context, size int) ([]byte, error)
	// Fail fails with the message, or panics, or hangs until ctx ends.
	Fail(ctx context.Context, how string) error
}

// A User is the object that all measurements of calls refer to.
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
