//go:build !linux && !darwin

package proc

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
)

type handle struct{}

func spawn(Config) (int, handle, error) {
	return 0, handle{}, fmt.Errorf("proc: worker processes on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

func (handle) await(int)                        {}
func (handle) reap(int) Status                  { return Status{} }
func (handle) signal(int, syscall.Signal) error { return errors.ErrUnsupported }

func killGroup(int) {}
