package tenon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
)

// A PerConn holds one value per connection: the state of a service that belongs
// to one peer. The generated RegisterXPerConn uses it.
type PerConn[S any] struct {
	open func(*Conn) (S, error)
}

// NewPerConn returns a PerConn whose values are made by open, at the first call
// over a connection. A value that is an io.Closer is closed when the connection
// has ended and its last handler is done, streams included; [Conn.Err] then says
// why it ended. [Server.Shutdown] waits for that.
func NewPerConn[S any](open func(*Conn) (S, error)) *PerConn[S] {
	if open == nil {
		panic("tenon: the function that opens a connection's own service is nil")
	}
	return &PerConn[S]{open}
}

// For returns the value of the connection that ctx, the context of a handler,
// belongs to. When open fails, so do all calls over that connection.
func (p *PerConn[S]) For(ctx context.Context) (S, error) {
	conn := ConnFrom(ctx)
	if conn == nil {
		var none S
		return none, errors.New("tenon: PerConn.For outside of a handler")
	}
	v, err := conn.scope.get(p, func() (any, error) { return p.open(conn) })
	s, _ := v.(S)
	return s, err
}

// A scope holds the values of one connection.
type scope struct {
	mu     sync.Mutex
	values map[any]*scoped
	over   bool
	closed chan struct{} // all values are
}

// scoped is one value, or why there is none.
type scoped struct {
	once  sync.Once
	value any
	err   error
}

var (
	errScopeOver   = errors.New("tenon: the connection has ended, and its own service with it")
	errOpenStopped = errors.New("tenon: the function that opens a connection's own service panicked before")
)

func (s *scope) get(key any, open func() (any, error)) (any, error) {
	s.mu.Lock()
	v := s.values[key]
	if v == nil {
		if s.over {
			s.mu.Unlock()
			return nil, errScopeOver
		}
		if s.values == nil {
			s.values = make(map[any]*scoped)
		}
		v = new(scoped)
		s.values[key] = v
	}
	s.mu.Unlock()
	v.once.Do(func() {
		v.err = errOpenStopped // unless it returns
		v.value, v.err = open()
	})
	return v.value, v.err
}

// inUse reports whether there are values to close.
func (s *scope) inUse() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.values) > 0
}

func (s *scope) close(log *slog.Logger) {
	s.mu.Lock()
	values := s.values
	s.values, s.over = nil, true
	s.mu.Unlock()
	for _, v := range values {
		if c, ok := v.value.(io.Closer); ok && v.err == nil {
			closeSafely(c, log)
		}
	}
	close(s.closed)
}

func closeSafely(c io.Closer, log *slog.Logger) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("tenon: closing a connection's own service panicked", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	if err := c.Close(); err != nil {
		log.Warn("tenon: closing a connection's own service failed", "error", err)
	}
}
