package linktest_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/linktest"
)

// The link of README.md, word for word.

type Link struct {
	in, out    chan []byte
	closed     chan struct{} // by this side
	peerClosed chan struct{} // by the other
	once       sync.Once
}

func Pair() (a, b *Link) {
	ab, ba := make(chan []byte, 16), make(chan []byte, 16)
	aClosed, bClosed := make(chan struct{}), make(chan struct{})
	a = &Link{in: ba, out: ab, closed: aClosed, peerClosed: bClosed}
	b = &Link{in: ab, out: ba, closed: bClosed, peerClosed: aClosed}
	return a, b
}

func (l *Link) Send(p []byte) error {
	if isClosed(l.closed) {
		return net.ErrClosed
	}
	if isClosed(l.peerClosed) { // out may have room nevertheless
		return tenon.ErrPeerGone
	}
	for len(p) > 0 {
		n := min(len(p), 64<<10) // what waits in the channel is bounded: 16 pieces of 64 KiB
		select {
		case l.out <- bytes.Clone(p[:n]):
			p = p[n:]
		case <-l.closed:
			return net.ErrClosed
		case <-l.peerClosed:
			return tenon.ErrPeerGone
		}
	}
	return nil
}

func (l *Link) Recv() ([]byte, error) {
	if isClosed(l.closed) {
		return nil, net.ErrClosed
	}
	select {
	case p := <-l.in:
		return p, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-l.peerClosed:
	}
	select { // what was sent before the close comes first
	case p := <-l.in:
		return p, nil
	default:
		return nil, io.EOF
	}
}

func (l *Link) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestTheLinkOfTheReadmePassesTheSuite(t *testing.T) {
	linktest.Run(t, func(t *testing.T) (a, b tenon.Link) { return Pair() })
}

func ExampleTrace() {
	a, b := inproc.Pair()
	traced := linktest.Trace(a, "a", func(format string, args ...any) { fmt.Printf(format+"\n", args...) })
	traced.Send([]byte("hello"))
	b.Close()
	traced.Recv()
	traced.Close()
	// Output:
	// a: Send 5 bytes
	// a: Recv: EOF
	// a: Close
}

func ExampleFail() {
	a, b := inproc.Pair()
	defer b.Close()
	breaking := linktest.Fail(a, 3)
	fmt.Println(breaking.Send([]byte("hello")))
	got, _ := b.Recv()
	_, err := b.Recv()
	fmt.Println(string(got), err)
	// Output:
	// tenon: peer is gone: linktest.Fail broke the link after 3 bytes
	// hel EOF
}
