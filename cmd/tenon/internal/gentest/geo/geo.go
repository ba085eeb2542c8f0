// Package geo holds types that live in another package than the service which
// uses them.
package geo

import (
	"context"
	"iter"
	"time"
)

// A Point has only exported fields.
type Point struct{ Lat, Lon float64 }

// A Track also has state of its own, which does not travel.
type Track struct {
	Name   string
	Points []Point
	Start  time.Time

	cached int
}

// SetCached keeps the unexported field in use.
func (t *Track) SetCached(n int) { t.cached = n }

// Side is an enumeration.
type Side int8

const (
	North Side = iota + 1
	South
)

// A Pair is generic.
type Pair[A comparable, B any] struct {
	First  A
	Second B
}

// Points is a stream.
type Points iter.Seq2[Point, error]

// A Finder is embedded in a service of another package.
type Finder interface {
	// Find may be called twice.
	//
	//tenon:idempotent
	Find(ctx context.Context, near Point) (Point, error)
}
