package intercept

import (
	"context"
	"fmt"
	"sync"

	"github.com/tenon-go/tenon"
)

// A LimitOption changes how [Limit] counts, or what it does with one call too many.
type LimitOption func(*limit)

// PerMethod gives each method a limit of its own.
func PerMethod(l *limit) { l.perMethod = true }

// Reject has a call that is one too many fail at once instead of waiting, with
// ResourceExhausted and safe to retry.
func Reject(l *limit) { l.reject = true }

type limit struct {
	n                 int
	perMethod, reject bool
	whole             chan struct{}
	methods           sync.Map // of chan struct{} by name
}

// Limit returns an interceptor that lets n calls run at once, of all connections
// that it is given to; further ones wait in line, as long as their contexts
// allow. Handlers that call back may wait for themselves, when what they call
// comes back under the same limit: there [PerMethod] helps. Calls of functions
// among the arguments of a call do not count.
func Limit(n int, opts ...LimitOption) tenon.Interceptor {
	if n < 1 {
		panic(fmt.Sprintf("intercept: Limit(%d): with less than 1 no call would ever run", n))
	}
	l := &limit{n: n, whole: make(chan struct{}, n)}
	for _, opt := range opts {
		opt(l)
	}
	return l.intercept
}

func (l *limit) intercept(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) error {
	if info.Function {
		return next(ctx) // a part of a call that may have its place
	}
	places := l.places(info.Method)
	select {
	case places <- struct{}{}:
	default:
		if l.reject {
			return &tenon.Error{Code: tenon.ResourceExhausted, SafeToRetry: true, Message: l.full() + ", try again later"}
		}
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return givenUp(ctx, "while it waited in line: "+l.full(), true)
		}
	}
	defer func() { <-places }()
	return next(ctx)
}

func (l *limit) full() string {
	if l.perMethod {
		return fmt.Sprintf("the limit of %d of this method's calls at once is reached", l.n)
	}
	return fmt.Sprintf("the limit of %d calls at once is reached", l.n)
}

func (l *limit) places(method string) chan struct{} {
	if !l.perMethod {
		return l.whole
	}
	places, known := l.methods.Load(method)
	if !known {
		places, _ = l.methods.LoadOrStore(method, make(chan struct{}, l.n))
	}
	return places.(chan struct{})
}
