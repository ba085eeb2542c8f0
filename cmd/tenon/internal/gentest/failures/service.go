// Package failures has errors of every form that keeps its identity on the
// wire, in a file of their own.
package failures

import "context"

//go:generate go run github.com/tenon-go/tenon/cmd/tenon gen

// Failing fails on demand.
//
//tenon:service
type Failing interface {
	Fail(ctx context.Context, how string) error
	Count(ctx context.Context) (calls int, err error)
}
