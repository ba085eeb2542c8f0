//go:build !linux

package shm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
)

var errUnsupported = fmt.Errorf("shm: shared memory is supported on Linux only, this is %s: use package iolink: %w", runtime.GOOS, errors.ErrUnsupported)

// A Peer is the other end of a link, to be inherited by a child process.
type Peer struct {
	Memory *os.File
	Socket *os.File
}

// Close closes the two files.
func (p *Peer) Close() error { return errors.Join(p.Memory.Close(), p.Socket.Close()) }

// Reserve answers an error on this system.
func (p *Peer) Reserve() error { return errUnsupported }

// Create answers an error on this system.
func Create(opts ...Option) (*Link, *Peer, error) { return nil, nil, errUnsupported }

// Attach answers an error on this system. It closes the files.
func Attach(memory, socket *os.File, opts ...Option) (*Link, error) {
	return nil, errors.Join(errUnsupported, memory.Close(), socket.Close())
}

// Pair answers an error on this system.
func Pair(opts ...Option) (a, b *Link, err error) { return nil, nil, errUnsupported }

// A Listener hands links to strangers, on Linux.
type Listener struct{}

// Listen answers an error on this system.
func Listen(address string, opts ...Option) (*Listener, error) { return nil, errUnsupported }

// Accept answers an error on this system.
func (l *Listener) Accept(ctx context.Context) (*Link, error) { return nil, errUnsupported }

// Addr returns nil on this system.
func (l *Listener) Addr() net.Addr { return nil }

// Close does nothing on this system.
func (l *Listener) Close() error { return nil }

// Dial answers an error on this system.
func Dial(ctx context.Context, address string, opts ...Option) (*Link, error) {
	return nil, errUnsupported
}

func sendByte(uintptr) {}

// PeerUID is known on Linux only.
func (l *Link) PeerUID() (uid int, known bool) { return 0, false }

// PeerPID is known on Linux only.
func (l *Link) PeerPID() (pid int, known bool) { return 0, false }
