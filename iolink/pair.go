package iolink

import (
	"fmt"
	"os"
)

// Pair returns the two ends of a Unix socket pair within this process. Systems
// without it answer an error that wraps errors.ErrUnsupported; Pipe may serve
// there.
func Pair() (a, b *Link, err error) {
	fa, fb, err := socketPair()
	if err != nil {
		return nil, nil, fmt.Errorf("iolink: socket pair: %w", err)
	}
	return New(fa), New(fb), nil
}

// Pipe returns two links that are joined by two pipes, one for each direction,
// within this process.
func Pipe() (a, b *Link, err error) {
	ar, bw, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("iolink: %w", err)
	}
	br, aw, err := os.Pipe()
	if err != nil {
		ar.Close()
		bw.Close()
		return nil, nil, fmt.Errorf("iolink: %w", err)
	}
	return NewReadWriter(ar, aw), NewReadWriter(br, bw), nil
}
