//go:build !unix

package iolink

import (
	"errors"
	"os"
)

func socketPair() (a, b *os.File, err error) { return nil, nil, errors.ErrUnsupported }
