//go:build !linux && !darwin

package proc

import (
	"errors"
	"os"
)

// SocketPair answers that this system has none.
func SocketPair() (ours, theirs *os.File, err error) { return nil, nil, errors.ErrUnsupported }

// ReadNow answers that this system cannot.
func ReadNow(*os.File, []byte) (int, error) { return 0, errors.ErrUnsupported }

// Adopt answers that this system passes no descriptors on.
func Adopt(int, string) (*os.File, error) { return nil, errors.ErrUnsupported }

// IsSocket answers false.
func IsSocket(int) bool { return false }

// EndGroup ends the calling process.
func EndGroup() { os.Exit(1) }
