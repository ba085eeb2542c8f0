package linknet

import (
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/internal/pump"
)

// piece is how much of a large Write is published at once: small enough that
// the peer copies out while we copy in.
const piece = 32 << 10

// yields is how often a Read gives way before it sleeps. One is not enough: who
// runs meanwhile gives way too, as gRPC's writer does.
const yields = 4

// A Conn is a net.Conn over a link.
type Conn struct {
	link tenon.DirectLink
	addr Addr

	reading      sync.Mutex
	rest         []byte // lent by the link and not yet read
	readDeadline deadline

	writing       sync.Mutex
	writeDeadline deadline

	closed   atomic.Bool
	closing  sync.Once
	closeErr error
	onClose  func() // may be nil
}

var _ net.Conn = (*Conn)(nil)

// NewConn returns a connection over link, which belongs to it from now on.
func NewConn(link tenon.Link) *Conn {
	direct, ok := link.(tenon.DirectLink)
	if !ok {
		direct = pump.New(link)
	}
	c := &Conn{link: direct, addr: addrOf(link)}
	c.readDeadline.interrupt = direct.InterruptRecv
	c.writeDeadline.interrupt = direct.InterruptSend
	return c
}

// Read reads up to len(p) bytes and waits until there is at least one.
func (c *Conn) Read(p []byte) (int, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	for {
		if err := c.mayGoOn(&c.readDeadline); err != nil {
			return 0, c.failed("read", err)
		}
		if len(c.rest) > 0 || len(p) == 0 {
			n := copy(p, c.rest)
			c.rest = c.rest[n:]
			return n, nil
		}
		rest, err := c.receive()
		if err != nil && !errors.Is(err, tenon.ErrInterrupted) {
			return 0, c.failed("read", err)
		}
		c.rest = rest
	}
}

// receive returns what the link has, or nil after it has waited for some. Before
// it sleeps it lets others run: a link may sleep in a system call, and a
// goroutine that this one has just woken, say by handing it an answer, would
// then have to be found by another thread.
func (c *Conn) receive() ([]byte, error) {
	if p, err := c.link.TryRecv(); p != nil || err != nil {
		return p, err
	}
	for range yields {
		runtime.Gosched()
		if c.mayGoOn(&c.readDeadline) != nil {
			return nil, nil
		}
	}
	return nil, c.link.WaitRecv()
}

// Write writes all of p and waits for room where it must. When it fails it
// returns how many bytes went out before.
func (c *Conn) Write(p []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	written := 0
	err := c.mayGoOn(&c.writeDeadline)
	for err == nil && written < len(p) {
		var n int
		n, err = c.writePiece(p[written:])
		written += n
		if errors.Is(err, tenon.ErrInterrupted) {
			err = c.mayGoOn(&c.writeDeadline)
		}
	}
	if err != nil {
		return written, c.failed("write", err)
	}
	return written, nil
}

// writePiece publishes the beginning of p, or waits for room and publishes
// nothing.
func (c *Conn) writePiece(p []byte) (int, error) {
	n := min(len(p), piece, c.link.MaxReserve())
	room := c.link.Reserve(n)
	if room == nil {
		return 0, c.link.WaitSend(n)
	}
	if err := c.link.Commit(append(room, p[:n]...)); err != nil {
		return 0, err
	}
	if err := c.link.Flush(); err != nil {
		return 0, err
	}
	return n, nil
}

func (c *Conn) mayGoOn(d *deadline) error {
	switch {
	case c.closed.Load():
		return net.ErrClosed
	case d.passed.Load():
		return os.ErrDeadlineExceeded
	}
	return nil
}

// failed gives err the form that users of package net look for.
func (c *Conn) failed(op string, err error) error {
	if err == io.EOF {
		if op == "read" {
			return err
		}
		err = syscall.EPIPE
	}
	return &net.OpError{Op: op, Net: c.addr.Network(), Err: err}
}

// Close closes the link. It may be called repeatedly and answers the same each
// time.
func (c *Conn) Close() error {
	c.closing.Do(func() {
		c.closed.Store(true)
		c.readDeadline.stop()
		c.writeDeadline.stop()
		c.closeErr = c.link.Close()
		c.giveBack()
		if c.onClose != nil {
			c.onClose()
		}
	})
	return c.closeErr
}

// giveBack gives the slice that the link lent last back to it, which would
// keep its memory for it. The link is closed, so that no Read waits in it.
func (c *Conn) giveBack() {
	c.reading.Lock()
	defer c.reading.Unlock()
	c.rest = nil
	c.link.TryRecv()
}

// LocalAddr returns the link's kind as an address, an [Addr].
func (c *Conn) LocalAddr() net.Addr { return c.addr }

// RemoteAddr returns the same as LocalAddr: the two ends of a link have no
// names.
func (c *Conn) RemoteAddr() net.Addr { return c.addr }

// SetDeadline sets the deadlines of Read and Write; the zero time means none.
func (c *Conn) SetDeadline(t time.Time) error {
	return c.setDeadline(t, &c.readDeadline, &c.writeDeadline)
}

// SetReadDeadline sets the deadline of Read, also of one that waits.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.setDeadline(t, &c.readDeadline) }

// SetWriteDeadline sets the deadline of Write, also of one that waits.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.setDeadline(t, &c.writeDeadline) }

func (c *Conn) setDeadline(t time.Time, ds ...*deadline) error {
	for _, d := range ds {
		if !d.set(t) {
			return c.failed("set", net.ErrClosed)
		}
	}
	return nil
}
