package tenon

import (
	"context"
)

// CallInfo describes a call to an [Interceptor].
type CallInfo struct {
	Method string // wire name
	Conn   *Conn
}

// An Interceptor runs around a call: around the handler on the serving side,
// around the whole call on the caller's. It calls next once, with a context of
// its own if it likes, or not at all and returns an error. It sees what next
// returned and may return another error; the handler's result is dropped then.
type Interceptor func(ctx context.Context, info CallInfo, next func(context.Context) error) error

// WithHandlerInterceptor runs i around every handler, inside those given before.
func WithHandlerInterceptor(i Interceptor) Option {
	return func(o *options) { o.handlers = append(o.handlers[:len(o.handlers):len(o.handlers)], i) }
}

// WithCallInterceptor runs i around every call that this side makes, inside
// those given before. Contexts of calls that go through it are not the cheapest:
// each interceptor costs an allocation.
func WithCallInterceptor(i Interceptor) Option {
	return func(o *options) { o.calls = append(o.calls[:len(o.calls):len(o.calls)], i) }
}

// intercept runs call inside of the interceptors.
func intercept(ctx context.Context, list []Interceptor, info CallInfo, call func(context.Context) error) error {
	if len(list) == 0 {
		return call(ctx)
	}
	return list[0](ctx, info, func(ctx context.Context) error {
		return intercept(ctx, list[1:], info, call)
	})
}
