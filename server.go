package tenon

import "context"

// Handle makes srv answer calls of m with fn. The generator's RegisterX calls
// it for every method of a service. fn runs on many goroutines at once; its
// arguments belong to it, and ctx ends when the caller gave up, the deadline
// passed or the connection ended. A panic becomes an error of that call alone.
func Handle[A, R any](srv *Server, m *Method[A, R], fn func(ctx context.Context, args A) (R, error)) {
}

// A Server answers calls.
type Server struct{}

// NewServer returns a server without services.
func NewServer() *Server { return &Server{} }
