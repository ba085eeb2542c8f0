package shm

import (
	"context"
	"os"
	"runtime"
	"sync"

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
	base     hold // whoever sleeps in WaitRecv
	poller   spin.Poller

	control sync.Mutex // held by whoever touches the memory without a role
	closed  bool
	socket  *os.File
	watched chan struct{} // closed when the watcher has ended
}

// newLink makes a link of memory that is formatted and mapped, and of a socket
// that can be polled. It owns both, also when it fails.
func newLink(m *mapping, there, back []byte, socket *os.File, o options) (*Link, error) {
	out, err := ring.NewWriter(there, ring.Spin(o.spin))
	if err == nil {
		var in *ring.Reader
		if in, err = ring.NewReader(back); err == nil {
			l := &Link{out: out, in: in, poller: spin.New(o.spin), socket: socket, watched: make(chan struct{})}
			m.newHold(&l.sender)
			m.newHold(&l.receiver)
			m.newHold(&l.base)
			runtime.AddCleanup(l, (*mapping).free, m)
			go l.watch()
			return l, nil
		}
	}
	m.free()
	socket.Close()
	return nil, err
}

// Kind returns "shm".
func (l *Link) Kind() string { return "shm" }

// watch notices that the peer has closed its end or died: nothing else ends the
// read from the socket but our own Close.
func (l *Link) watch() {
	defer close(l.watched)
	var b [16]byte
	for {
		if _, err := l.socket.Read(b[:]); err != nil {
			break
		}
	}
	l.withMemory(func() {
		l.in.End(linkerr.ErrPeerGone)
		l.out.End(linkerr.ErrPeerGone)
	})
}

// withMemory runs f unless the link is closed.
func (l *Link) withMemory(f func()) {
	l.control.Lock()
	defer l.control.Unlock()
	if !l.closed {
		f()
	}
}

// Close ends every wait of this side, and of the other one once it has read
// what was flushed. What was not flushed is dropped. It waits for nobody but
// the link's own goroutine.
func (l *Link) Close() error {
	l.withMemory(func() {
		l.closed = true
		l.out.Close()
		l.in.Close()
		l.socket.Close()
		l.sender.close()
		l.receiver.close()
		l.base.close()
	})
	<-l.watched
	return nil
}

// InterruptRecv makes the receiver's current wait, or its next one, return
// tenon.ErrInterrupted.
func (l *Link) InterruptRecv() { l.withMemory(l.in.Interrupt) }

// InterruptSend makes the sender's current wait, or its next one, return
// tenon.ErrInterrupted.
func (l *Link) InterruptSend() { l.withMemory(l.out.Interrupt) }

var background = context.Background()
