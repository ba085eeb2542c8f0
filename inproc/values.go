package inproc

import (
	"context"
	"io"
	"net"
)

// values is one end of the two queues of Go values.
type values struct {
	in, out            chan any
	closed, peerClosed chan struct{}
}

func valuePair(capacity int) (a, b values) {
	ab, ba := make(chan any, capacity), make(chan any, capacity)
	aClosed, bClosed := make(chan struct{}), make(chan struct{})
	a = values{in: ba, out: ab, closed: aClosed, peerClosed: bClosed}
	b = values{in: ab, out: ba, closed: bClosed, peerClosed: aClosed}
	return a, b
}

func (v *values) send(ctx context.Context, value any) error {
	switch {
	case isClosed(v.closed):
		return net.ErrClosed
	case isClosed(v.peerClosed):
		return errPeerClosed
	}
	select {
	case v.out <- value:
		return nil
	case <-v.closed:
		return net.ErrClosed
	case <-v.peerClosed:
		return errPeerClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (v *values) recv(ctx context.Context) (any, error) {
	if isClosed(v.closed) {
		return nil, net.ErrClosed
	}
	select {
	case value := <-v.in:
		return value, nil
	case <-v.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-v.peerClosed:
	}
	select {
	case value := <-v.in: // sent before the close
		return value, nil
	default:
		return nil, io.EOF
	}
}

func (v *values) end() { close(v.closed) }

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
