package names

import "context"

// local is not exported, and neither is what is generated for it.
//
//tenon:service
type local interface {
	Point(ctx context.Context, p Point) (Point, error)
}
