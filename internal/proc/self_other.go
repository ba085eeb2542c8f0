//go:build !linux

package proc

import "os"

// Self is the path that executes this very program again.
func Self() (string, error) { return os.Executable() }

// Settle has nothing to do on this system.
func Settle(string) {}
