//go:build !linux

package bench

import (
	"errors"
	"os"
)

func newRingMemory() (file *os.File, memory []byte, unmap func(), err error) {
	return nil, nil, nil, errors.ErrUnsupported
}

func openInheritedRing() (*ringWriter, error) { return nil, errors.ErrUnsupported }
