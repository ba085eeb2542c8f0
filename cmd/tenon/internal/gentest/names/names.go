// Package names has every name that generated code would like to use itself.
package names

import (
	"context"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gentest/names/b"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gentest/names/codec"
)

//go:generate go run github.com/tenon-go/tenon/cmd/tenon gen

// Point is the third type of this name.
type Point struct{ N int }

// HTTPServer starts with an abbreviation.
//
//tenon:service name=web.Server
type HTTPServer interface {
	Points(ctx context.Context, own Point, b b.Point, c codec.Point) ([]Point, []b.Point, []codec.Point, error)
	Kind(ctx context.Context, kind b.Kind) error
	Words(ctx context.Context, d duration, t time) error
}

// Words of the grammar of shapes.
type (
	duration struct{ Hours int }
	time     struct{ Zone string }
)

type (
	tenon                struct{}
	httpServerClient     struct{}
	httpServerPoints     struct{}
	httpServerPointsArgs struct{}
)

func httpServerAppendPoint() {}

var context_ = tenon{}

// These may be used before the code is generated for the first time.
var (
	_ = NewHTTPServerClient
	_ = RegisterHTTPServer
	_ = newLocalClient
	_ = registerLocal
)
