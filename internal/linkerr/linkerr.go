// Package linkerr holds the errors that all links share. The links do not
// import tenon, and tenon names these values for users.
package linkerr

import "errors"

var (
	ErrInterrupted = errors.New("tenon: wait interrupted")
	ErrFull        = errors.New("tenon: link is full")
	ErrTooLarge    = errors.New("tenon: piece larger than the link can take at once")
	ErrPeerGone    = errors.New("tenon: peer is gone")
)
