package iolink_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/iolink"
)

// within fails the test when f hangs.
func within(t *testing.T, d time.Duration, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(d):
		t.Fatalf("%s hangs", what)
	}
}

const patience = 20 * time.Second

func recvAll(l *iolink.Link) ([]byte, error) {
	var all []byte
	for {
		p, err := l.Recv()
		if err != nil {
			return all, err
		}
		all = append(all, p...)
	}
}

func TestWhatWasSentArrivesAlthoughTheSenderClosedWithInputUnread(t *testing.T) {
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t)
			defer b.Close()
			sent := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
			p := b.Reserve(5000)
			if err := errors.Join(b.Commit(p[:5000]), b.Flush()); err != nil {
				t.Fatal(err)
			}
			go func() {
				a.Send(sent)
				a.Close()
			}()
			var got []byte
			var err error
			within(t, patience, "receiving", func() { got, err = recvAll(b) })
			if !bytes.Equal(got, sent) {
				t.Fatalf("%d of %d bytes arrived, then %v", len(got), len(sent), err)
			}
			if err != io.EOF && !errors.Is(err, tenon.ErrPeerGone) {
				t.Errorf("the end is %v, want io.EOF or ErrPeerGone", err)
			}
		})
	}
}

func TestSendingToAPeerThatIsGoneNamesTheCause(t *testing.T) {
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t)
			defer a.Close()
			b.Close()
			var err error
			within(t, patience, "sending", func() {
				for err == nil {
					err = a.Send(make([]byte, 1000))
				}
			})
			if !errors.Is(err, tenon.ErrPeerGone) {
				t.Fatalf("got %v, want ErrPeerGone", err)
			}
			if err.Error() == tenon.ErrPeerGone.Error() {
				t.Errorf("%q does not say how the peer was found to be gone", err)
			}
		})
	}
}

func TestAStreamThatWasClosedBehindTheLinksBackIsPeerGone(t *testing.T) {
	x, y := connected(t, "tcp")
	defer y.Close()
	l := iolink.New(x)
	defer l.Close()
	x.Close()
	if _, err := l.Recv(); !errors.Is(err, tenon.ErrPeerGone) || !errors.Is(err, net.ErrClosed) {
		t.Errorf("Recv: got %v, want ErrPeerGone and its cause", err)
	}
	if err := l.Send([]byte("x")); !errors.Is(err, tenon.ErrPeerGone) {
		t.Errorf("Send: got %v, want ErrPeerGone", err)
	}
}
