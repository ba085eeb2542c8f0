package tenon

import (
	"context"
	"errors"

	"github.com/tenon-go/tenon/internal/call"
)

// An AnyMethod is a [Method] whatever its types.
type AnyMethod interface {
	describe() *call.Method
}

// Check compares methods with what c offers, without calling them. The generated
// CheckX does it for all methods of a service; a program calls it at its start to
// find out about a contract that does not fit before the first customer does. It
// returns all differences, joined.
func Check(ctx context.Context, c Caller, methods ...AnyMethod) error {
	var all []error
	for _, m := range methods {
		if err := c.Invoke(ctx, &call.Call{Method: m.describe(), CheckOnly: true}); err != nil {
			all = append(all, err)
			if ctx.Err() != nil {
				break
			}
		}
	}
	return errors.Join(all...)
}
