package iolink

import (
	"fmt"
	"io"
	"net"
	"sync/atomic"

	"github.com/tenon-go/tenon/internal/linkerr"
)

// ending turns what a stream says at its end into the three ends of a link.
type ending struct {
	closed atomic.Bool // by this side
}

func (e *ending) of(err error) error {
	switch {
	case err == nil:
		return nil
	case e.closed.Load():
		return net.ErrClosed
	case err == io.EOF:
		return io.EOF
	}
	return fmt.Errorf("%w: %w", linkerr.ErrPeerGone, err)
}
