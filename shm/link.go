package shm

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"syscall"

	"github.com/tenon-go/tenon/internal/linkerr"
	"github.com/tenon-go/tenon/internal/spin"
	"github.com/tenon-go/tenon/ring"
)

// A Link is one end of a connection through shared memory. It implements
// tenon.DirectLink; see there for what each method promises.
type Link struct {
	out *ring.Writer
	in  *ring.Reader

	sender   hold
	receiver hold
	stays    bool // the receiver's: it keeps its hold while there is nothing
	base     hold // whoever sleeps in WaitRecv
	others   *gate
	poller   spin.Poller // of Recv
	cold     cold
	order    order

	socket  socket
	closing atomic.Bool
	watched chan struct{} // closed when the watcher has ended
}

// A socket is one end of a Unix stream socket that the netpoller watches.
type socket interface {
	io.ReadCloser
	syscall.Conn
}

// newLink makes a link of memory that is formatted and mapped, and of a socket
// that can be polled. It owns both, also when it fails.
func newLink(m *mapping, there, back []byte, socket socket, o options) (*Link, error) {
	out, in, err := openRings(there, back, socket, o)
	if err != nil {
		m.free()
		socket.Close()
		return nil, err
	}
	l := &Link{
		out:     out,
		in:      in,
		others:  newGate(m),
		poller:  spin.New(o.spin),
		socket:  socket,
		watched: make(chan struct{}),
	}
	l.sender.init(m)
	l.receiver.init(m)
	l.base.init(m)
	runtime.AddCleanup(l, (*mapping).free, m)
	go l.watch()
	return l, nil
}

func openRings(there, back []byte, socket socket, o options) (*ring.Writer, *ring.Reader, error) {
	conn, err := socket.SyscallConn()
	if err != nil {
		return nil, nil, fmt.Errorf("shm: socket: %w", err)
	}
	press := func() { conn.Control(sendByte) }
	out, err := ring.NewWriter(there, ring.Spin(o.spin), ring.PressDoorbell(press))
	if err != nil {
		return nil, nil, err
	}
	in, err := ring.NewReader(back, ring.AtDoorbell())
	return out, in, err
}

// Kind returns "shm".
func (l *Link) Kind() string { return "shm" }

// watch waits at the socket: a byte is the peer pressing the doorbell, and the
// hang-up says that it has closed its end or died. Nothing else ends the read but
// our own Close.
func (l *Link) watch() {
	defer close(l.watched)
	var b [64]byte
	for {
		if _, err := l.socket.Read(b[:]); err != nil {
			break
		}
		l.touch(l.in.Rung)
	}
	l.touch(func() {
		l.in.End(linkerr.ErrPeerGone)
		l.out.End(linkerr.ErrPeerGone)
	})
}

// touch runs f, which uses the memory without a role, unless the link is closed.
func (l *Link) touch(f func()) {
	if l.others.enter() {
		f()
		l.others.leave()
	}
}

// Close ends every wait of this side, and of the other one once it has read
// what was flushed. What was not flushed is dropped.
func (l *Link) Close() error {
	if l.closing.CompareAndSwap(false, true) {
		l.out.Close()
		l.in.Close()
		l.socket.Close()
		l.sender.close()
		l.receiver.close()
		l.base.close()
		l.others.close()
	}
	<-l.watched
	return nil
}

// InterruptRecv makes the receiver's current wait, or its next one, return
// tenon.ErrInterrupted.
func (l *Link) InterruptRecv() { l.touch(l.in.Interrupt) }

// InterruptSend makes the current WaitSend, or the next one, return
// tenon.ErrInterrupted. Send is not touched: it could not say how much it has
// sent.
func (l *Link) InterruptSend() { l.touch(l.out.Interrupt) }

var background = context.Background()
