//go:build !linux

package proc

import (
	"errors"
	"fmt"
	"runtime"
)

// HasMeters tells whether Meter works here.
const HasMeters = false

// A Meter reads the resident memory of one process.
type Meter struct{}

// Meter answers that this system has no such figures.
func (p *Process) Meter() (*Meter, error) {
	return nil, fmt.Errorf("proc: resident memory of a process on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

// Resident is never reached.
func (m *Meter) Resident() (int64, error) { return 0, errors.ErrUnsupported }

// Close is never reached.
func (m *Meter) Close() error { return nil }
