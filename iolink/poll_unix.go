//go:build unix

package iolink

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tenon-go/tenon/internal/linkerr"
)

// pollConn is a stream whose descriptor never blocks and is watched by the
// runtime, so that one can try it, and wait for it until a deadline.
type pollConn struct {
	raw         syscall.RawConn
	setDeadline func(time.Time) error // for reading
}

// pollable accepts the very types of net and os only: a type that embeds one of
// them may have a Read of its own, which must not be passed by.
func pollable(stream any) (*pollConn, bool) {
	var conn interface {
		syscall.Conn
		SetReadDeadline(time.Time) error
	}
	switch s := stream.(type) {
	case *net.UnixConn:
		conn = s
	case *net.TCPConn:
		conn = s
	case *os.File:
		conn = s
	default:
		return nil, false
	}
	if conn.SetReadDeadline(time.Time{}) != nil {
		return nil, false
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, false
	}
	// A descriptor that was handed over may have been set to blocking mode on the
	// way; then neither interrupts nor Close would end a wait.
	var mode error
	err = raw.Control(func(fd uintptr) { mode = unix.SetNonblock(int(fd), true) })
	if err != nil || mode != nil {
		return nil, false
	}
	return &pollConn{raw: raw, setDeadline: conn.SetReadDeadline}, true
}

// A tryWriter writes what the descriptor takes without waiting. It goes through
// Control, which heeds no deadline. Its results are fields because a closure
// made for every write would be an allocation for every write.
type tryWriter struct {
	raw   syscall.RawConn
	end   *ending
	write func(fd uintptr)
	p     []byte
	n     int
	err   error
}

func newTryWriter(c *pollConn, end *ending) *tryWriter {
	w := &tryWriter{raw: c.raw, end: end}
	w.write = func(fd uintptr) { w.n, w.err = retry(syscall.Write, fd, w.p) }
	return w
}

func (w *tryWriter) try(p []byte) (int, error) {
	w.p = p
	err := w.raw.Control(w.write)
	w.p = nil
	if err == nil {
		err = w.err
	}
	switch {
	case err == nil:
		return w.n, nil
	case err == syscall.EAGAIN:
		return 0, nil
	}
	return 0, w.end.of(err)
}

// polled is the receiving half over a descriptor that the runtime polls.
type polled struct {
	conn *pollConn
	end  *ending

	buffer  buffer
	input   []byte // read, not yet handed out
	err     error  // what ended reading
	knowsIt bool   // TryRecv has said nil since the last read

	p        []byte // of the read under way
	n        int
	readErr  error
	tryRead  func(fd uintptr)
	waitRead func(fd uintptr) bool

	mu          sync.Mutex // the read deadline is in the past exactly if interrupted or closed
	interrupted atomic.Bool
	closed      atomic.Bool
}

func newPolled(c *pollConn, end *ending) *polled {
	r := &polled{conn: c, end: end}
	r.tryRead = func(fd uintptr) { r.n, r.readErr = retry(syscall.Read, fd, r.p) }
	r.waitRead = func(fd uintptr) bool {
		r.tryRead(fd)
		return r.readErr != syscall.EAGAIN
	}
	return r
}

// TryRecv returns what the last read brought. The first nil after that costs no
// system call, for WaitRecv usually comes next and reads itself; who asks again
// instead gets a read that does not wait.
func (r *polled) TryRecv() ([]byte, error) {
	if r.closed.Load() {
		return nil, net.ErrClosed
	}
	if r.input == nil && r.err == nil {
		if !r.knowsIt {
			r.knowsIt = true
			return nil, nil
		}
		r.p = r.buffer.next()
		if err := r.conn.raw.Control(r.tryRead); err != nil {
			return nil, r.end.of(err)
		}
		r.noteRead()
	}
	p := r.input
	r.input = nil
	if p == nil {
		return nil, r.err
	}
	r.knowsIt = false
	return p, nil
}

// WaitRecv waits for input and reads it.
func (r *polled) WaitRecv() error {
	switch {
	case r.closed.Load():
		return net.ErrClosed
	case r.interrupted.Load():
		return r.takeInterrupt()
	case r.input != nil || r.err != nil:
		return nil
	}
	r.p = r.buffer.next()
	if err := r.conn.raw.Read(r.waitRead); err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return r.takeInterrupt()
		}
		return r.end.of(err)
	}
	r.noteRead()
	return nil
}

// InterruptRecv makes this WaitRecv or the next one return ErrInterrupted.
func (r *polled) InterruptRecv() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.interrupted.Store(true)
	r.conn.setDeadline(past)
}

// End ends every wait for good.
func (r *polled) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed.Store(true)
	r.conn.setDeadline(past)
}

func (r *polled) takeInterrupt() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed.Load() {
		return net.ErrClosed
	}
	r.interrupted.Store(false)
	r.conn.setDeadline(time.Time{})
	return linkerr.ErrInterrupted
}

func (r *polled) noteRead() {
	switch {
	case r.readErr == syscall.EAGAIN:
	case r.readErr != nil:
		r.err = r.end.of(r.readErr)
	case r.n == 0:
		r.err = io.EOF
	default:
		r.input = r.p[:r.n]
		r.buffer.note(r.n)
	}
	r.p = nil
}

var past = time.Unix(1, 0)

func retry(call func(int, []byte) (int, error), fd uintptr, p []byte) (int, error) {
	for {
		n, err := call(int(fd), p)
		if err != syscall.EINTR {
			return n, err
		}
	}
}

func fileKind(f *os.File) string {
	kind := "stream"
	raw, err := f.SyscallConn()
	if err != nil {
		return kind
	}
	raw.Control(func(fd uintptr) {
		var stat unix.Stat_t
		if unix.Fstat(int(fd), &stat) != nil {
			return
		}
		switch stat.Mode & unix.S_IFMT {
		case unix.S_IFIFO:
			kind = "pipe"
		case unix.S_IFSOCK:
			switch addr, _ := unix.Getsockname(int(fd)); addr.(type) {
			case *unix.SockaddrUnix:
				kind = "unix"
			case *unix.SockaddrInet4, *unix.SockaddrInet6:
				kind = "tcp"
			}
		}
	})
	return kind
}
