//go:build !linux

package shm

import (
	"errors"
	"os"
	"runtime"
)

var errUnsupported = errors.New("shm: shared memory is supported on Linux only, this is " + runtime.GOOS + ": use package iolink")

// A Peer is the other end of a link, to be inherited by a child process.
type Peer struct {
	Memory *os.File
	Socket *os.File
}

// Close closes the two files.
func (p *Peer) Close() error { return errors.Join(p.Memory.Close(), p.Socket.Close()) }

// Create answers an error on this system.
func Create(opts ...Option) (*Link, *Peer, error) { return nil, nil, errUnsupported }

// Attach answers an error on this system. It closes the files.
func Attach(memory, socket *os.File, opts ...Option) (*Link, error) {
	return nil, errors.Join(errUnsupported, memory.Close(), socket.Close())
}

// Pair answers an error on this system.
func Pair(opts ...Option) (a, b *Link, err error) { return nil, nil, errUnsupported }
