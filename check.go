package tenon

import (
	"context"
	"errors"
	"fmt"

	"github.com/tenon-go/tenon/internal/call"
)

// An AnyMethod is a [Method] whatever its types.
type AnyMethod interface {
	describe() *call.Method
}

// Check compares methods with what c offers, without calling them. The generated
// CheckX does it for all methods of a service; a program calls it at its start to
// find out about a contract that does not fit before the first customer does. It
// returns all differences, joined; methods of which there is the same to say, such as
// those of a service that the other side does not have, share one.
func Check(ctx context.Context, c Caller, methods ...AnyMethod) error {
	var (
		all  []error
		said = make(map[string]*alike)
	)
	for _, m := range methods {
		err := c.Invoke(ctx, &call.Call{Method: m.describe(), CheckOnly: true})
		if err == nil {
			continue
		}
		if e, ok := err.(*Error); !ok {
			all = append(all, err)
		} else if same := said[e.Message]; same != nil {
			same.more++
		} else {
			same = &alike{first: e}
			said[e.Message] = same
			all = append(all, same)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(all...)
}

// An alike is one error for several methods.
type alike struct {
	first *Error
	more  int
}

func (a *alike) Error() string {
	e := *a.first
	switch a.more {
	case 0:
	case 1:
		e.Method += " and another method"
	default:
		e.Method = fmt.Sprintf("%s and %d other methods", e.Method, a.more)
	}
	return e.Error()
}

func (a *alike) Unwrap() error { return a.first }
