package tenon

import (
	"context"
	"errors"
	"io"
	"sync"
)

// A PerConn holds one value per connection: the state of a service that belongs
// to one peer. The generated RegisterXPerConn uses it.
type PerConn[S any] struct {
	open func(*Conn) (S, error)
}

// NewPerConn returns a PerConn whose values are made by open, at the first call
// over a connection. A value that is an io.Closer is closed when the connection
// has ended and its last handler is done.
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
	values map[any]func() (any, error)
}

func (s *scope) get(key any, open func() (any, error)) (any, error) {
	s.mu.Lock()
	if s.values == nil {
		s.values = make(map[any]func() (any, error))
	}
	value := s.values[key]
	if value == nil {
		value = sync.OnceValues(open)
		s.values[key] = value
	}
	s.mu.Unlock()
	return value()
}

func (s *scope) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, value := range s.values {
		if v, err := value(); err == nil {
			if c, ok := v.(io.Closer); ok {
				c.Close()
			}
		}
	}
	s.values = nil
}
