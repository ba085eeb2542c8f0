package iolink

import (
	"crypto/tls"
	"io"
	"net"
	"os"
	"sync"

	"github.com/tenon-go/tenon/internal/pump"
)

// A Link carries bytes over a stream. It satisfies tenon.DirectLink.
type Link struct {
	out    *pump.Sender
	in     receiver
	kind   string
	ending *ending

	stream   any          // what New was given, nil of a NewReadWriter
	shut     func() error // closes it
	close    sync.Once
	closeErr error
}

// receiver is the receiving half of tenon.DirectLink. End ends its waits.
type receiver interface {
	TryRecv() ([]byte, error)
	WaitRecv() error
	InterruptRecv()
	End()
}

// New returns a link over stream, which belongs to the link from now on. On TCP
// it switches the delay of small packets off.
func New(stream io.ReadWriteCloser) *Link {
	noDelay(stream)
	l := newLink(stream, stream, stream.Close)
	l.stream = stream
	return l
}

// NewReadWriter returns a link that reads from r and writes to w, for instance
// the pipes of a child process. Close closes w, then r, as far as they are
// io.Closers; it needs to, in order to end a Read or Write under way.
func NewReadWriter(r io.Reader, w io.Writer) *Link {
	return newLink(r, w, func() error {
		err := closeIt(w)
		if rerr := closeIt(r); err == nil {
			err = rerr
		}
		return err
	})
}

func newLink(r io.Reader, w io.Writer, shut func() error) *Link {
	end := new(ending)
	return &Link{out: newSender(w, end), in: newReceiver(r, end), kind: kindOf(w), ending: end, shut: shut}
}

// Kind says what the link runs over: "unix", "tcp", "tls", "pipe", or "stream"
// for everything else.
func (l *Link) Kind() string { return l.kind }

// RemoteAddr returns the address of the other end if the stream has one, else
// nil.
func (l *Link) RemoteAddr() net.Addr {
	if c, ok := l.stream.(net.Conn); ok {
		return c.RemoteAddr()
	}
	return nil
}

// MaxReserve returns the largest n that Reserve can give: 128 KiB.
func (l *Link) MaxReserve() int { return l.out.MaxReserve() }

// Reserve returns memory to append to: length 0, capacity n, or nil when there
// is no room now. It is borrowed until Commit or the next Reserve.
func (l *Link) Reserve(n int) []byte { return l.out.Reserve(n) }

// Commit takes what was appended to the reserved slice; a p that lies elsewhere
// is copied. Nothing is written yet. ErrFull takes nothing.
func (l *Link) Commit(p []byte) error { return l.out.Commit(p) }

// Flush writes everything committed, without waiting: what the stream does not
// take at once follows by itself.
func (l *Link) Flush() error { return l.out.Flush() }

// WaitSend flushes and waits until Reserve(n) fits, until InterruptSend or
// until the end.
func (l *Link) WaitSend(n int) error { return l.out.WaitSend(n) }

// InterruptSend makes this WaitSend, or the next one, return ErrInterrupted.
func (l *Link) InterruptSend() { l.out.InterruptSend() }

// Send flushes and then writes p straight from where it lies. Interrupts do not
// touch it, for half a p is no place to stop at; Close ends it.
func (l *Link) Send(p []byte) error { return l.out.Send(p) }

// TryRecv returns what has arrived, or nil, nil. The slice is borrowed until
// the next TryRecv, WaitRecv or Recv.
func (l *Link) TryRecv() ([]byte, error) { return l.in.TryRecv() }

// WaitRecv waits until TryRecv has something, until InterruptRecv or until the
// end. It gives the last slice back.
func (l *Link) WaitRecv() error { return l.in.WaitRecv() }

// InterruptRecv makes this WaitRecv or Recv, or the next one, return
// ErrInterrupted.
func (l *Link) InterruptRecv() { l.in.InterruptRecv() }

// Recv waits for the next bytes. The slice is borrowed until the next TryRecv,
// WaitRecv or Recv.
func (l *Link) Recv() ([]byte, error) {
	for {
		p, err := l.in.TryRecv()
		if p != nil || err != nil {
			return p, err
		}
		if err := l.in.WaitRecv(); err != nil {
			return nil, err
		}
	}
}

// Close ends all waits at once, writes what was flushed before, for at most a
// second if the peer does not take it, and closes the stream.
func (l *Link) Close() error {
	l.close.Do(func() {
		l.ending.closed.Store(true)
		l.in.End()
		if free := l.out.End(pump.Linger); free {
			awaitDelivery(l.stream)
		}
		l.closeErr = l.shut()
	})
	return l.closeErr
}

func newSender(w io.Writer, end *ending) *pump.Sender {
	send := func(p []byte) error {
		_, err := w.Write(p)
		return end.of(err)
	}
	if p, ok := pollable(w); ok {
		return pump.NewSender(send, newTryWriter(p, end).try)
	}
	return pump.NewSender(send, nil)
}

func newReceiver(r io.Reader, end *ending) receiver {
	if p, ok := pollable(r); ok {
		return newPolled(p, end)
	}
	b := buffer{}
	return pump.NewReceiver(func() ([]byte, error) {
		p := b.next()
		n, err := r.Read(p)
		b.note(n)
		return p[:n], end.of(err)
	})
}

func kindOf(stream any) string {
	switch s := stream.(type) {
	case *net.UnixConn:
		return "unix"
	case *net.TCPConn:
		return "tcp"
	case *tls.Conn:
		return "tls"
	case *os.File:
		return fileKind(s)
	}
	return "stream"
}

func closeIt(v any) error {
	if c, ok := v.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
