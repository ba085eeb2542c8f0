//go:build !linux

package proc

import (
	"errors"
	"os"
)

// Self is the path that executes this very program again.
func Self() (string, error) { return os.Executable() }

// EndWithPeer answers that this system cannot.
func EndWithPeer(*os.File) error { return errors.ErrUnsupported }

// Settle has nothing to do on this system.
func Settle(string) {}
