package linknet_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/linknet"
)

var longAgo = time.Unix(1, 0)

func TestLargeWritesArriveInBothDirectionsAtOnce(t *testing.T) {
	overEveryLink(t, func(t *testing.T, a, b *linknet.Conn) {
		want := make([]byte, 3<<20+17)
		rand.NewChaCha8([32]byte{1}).Read(want)
		var all sync.WaitGroup
		for _, way := range [][2]net.Conn{{a, b}, {b, a}} {
			all.Go(func() {
				if n, err := way[0].Write(want); n != len(want) || err != nil {
					t.Errorf("Write: %d, %v", n, err)
				}
			})
			all.Go(func() {
				got := make([]byte, len(want))
				if _, err := io.ReadFull(way[1], got); err != nil || !bytes.Equal(got, want) {
					t.Errorf("other bytes arrived, error %v", err)
				}
			})
		}
		all.Wait()
	})
}

func TestAPassedDeadlineFailsAtOnceThoughInputWaits(t *testing.T) {
	overEveryLink(t, func(t *testing.T, a, b *linknet.Conn) {
		write(t, b, "hello")
		if got := read(t, a, 1); got != "h" { // the rest is with a now
			t.Fatalf("got %q", got)
		}
		a.SetDeadline(longAgo)
		n, err := a.Read(make([]byte, 1))
		checkTimeout(t, "Read", n, err)
		n, err = a.Write([]byte("x"))
		checkTimeout(t, "Write", n, err)

		a.SetDeadline(time.Time{})
		if got := read(t, a, 4); got != "ello" {
			t.Errorf("after the deadline: got %q", got)
		}
		write(t, a, "y")
		if got := read(t, b, 1); got != "y" {
			t.Errorf("after the deadline: got %q", got)
		}
	})
}

func TestADeadlineEndsTheReadThatWaits(t *testing.T) {
	overEveryLink(t, func(t *testing.T, a, b *linknet.Conn) {
		for range 20 {
			a.SetReadDeadline(time.Now().Add(time.Hour))
			done := make(chan error, 1)
			go func() {
				_, err := a.Read(make([]byte, 1))
				done <- err
			}()
			a.SetReadDeadline(longAgo)
			checkTimeout(t, "Read", 0, <-done)
		}
		write(t, b, "x")
		a.SetReadDeadline(time.Time{})
		if got := read(t, a, 1); got != "x" {
			t.Errorf("got %q", got)
		}
	})
}

func TestADeadlineThatIsPutOffDoesNotEndTheRead(t *testing.T) {
	overEveryLink(t, func(t *testing.T, a, b *linknet.Conn) {
		const soon = 20 * time.Millisecond
		a.SetReadDeadline(time.Now().Add(soon))
		passed := time.After(2 * soon)
		done := make(chan error, 1)
		go func() {
			_, err := a.Read(make([]byte, 1))
			done <- err
		}()
		a.SetReadDeadline(time.Now().Add(time.Hour))
		<-passed
		select {
		case err := <-done:
			t.Fatalf("Read returned %v", err)
		default:
		}
		write(t, b, "x")
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	})
}

// TestAnInterruptedWriteSaysWhatWentOut is what http2 and TLS rely on.
func TestAnInterruptedWriteSaysWhatWentOut(t *testing.T) {
	overEveryLink(t, func(t *testing.T, a, b *linknet.Conn) {
		want := make([]byte, 8<<20)
		rand.NewChaCha8([32]byte{2}).Read(want)
		a.SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
		n, err := a.Write(want)
		if !errors.Is(err, os.ErrDeadlineExceeded) || n == 0 || n == len(want) {
			t.Fatalf("Write into a full link: %d, %v", n, err)
		}
		a.SetWriteDeadline(time.Time{})
		rest := make(chan error, 1)
		go func() {
			_, err := a.Write(want[n:])
			rest <- err
		}()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(b, got); err != nil || !bytes.Equal(got, want) {
			t.Errorf("other bytes arrived, error %v", err)
		}
		if err := <-rest; err != nil {
			t.Error(err)
		}
	})
}

func TestWritesAreNotTornApart(t *testing.T) {
	overEveryLink(t, func(t *testing.T, a, b *linknet.Conn) {
		const writers, size = 8, 100_000
		var writing sync.WaitGroup
		for i := range writers {
			writing.Go(func() { a.Write(bytes.Repeat([]byte{byte('a' + i)}, size)) })
		}
		defer writing.Wait()
		seen := map[byte]bool{}
		got := make([]byte, size)
		for range writers {
			if _, err := io.ReadFull(b, got); err != nil {
				t.Fatal(err)
			}
			if bytes.Count(got, got[:1]) != size || seen[got[0]] {
				t.Fatalf("a Write of %q was torn apart", got[0])
			}
			seen[got[0]] = true
		}
	})
}

func TestCloseEndsReadAndWriteOnBothSides(t *testing.T) {
	overEveryLink(t, func(t *testing.T, a, b *linknet.Conn) {
		write(t, a, "last")
		var own, other [2]error
		var waiting sync.WaitGroup
		waiting.Go(func() { _, own[0] = io.Copy(io.Discard, onlyReader{a}) })
		waiting.Go(func() { _, own[1] = io.Copy(onlyWriter{a}, endless{}) })
		if got := read(t, b, 4); got != "last" {
			t.Errorf("got %q", got)
		}
		a.Close()
		waiting.Go(func() { _, other[0] = io.Copy(io.Discard, onlyReader{b}) })
		waiting.Go(func() { _, other[1] = io.Copy(onlyWriter{b}, endless{}) })
		waiting.Wait()

		for what, err := range map[string]error{"Read": own[0], "Write": own[1], "SetDeadline": a.SetDeadline(time.Now())} {
			var op *net.OpError
			if !errors.Is(err, net.ErrClosed) || !errors.As(err, &op) {
				t.Errorf("%s on the side that closed: %v", what, err)
			}
		}
		if other[0] != nil { // io.Copy ends with io.EOF
			t.Errorf("Read on the other side: %v, want io.EOF", other[0])
		}
		if err := other[1]; !errors.Is(err, syscall.EPIPE) && !errors.Is(err, tenon.ErrPeerGone) {
			t.Errorf("Write on the other side: %v", err)
		}
		if err := a.Close(); err != nil {
			t.Errorf("the second Close: %v", err)
		}
	})
}

// dying is a link whose peer dies after some bytes.
type dying struct{ tenon.Link }

func (dying) Recv() ([]byte, error) { return nil, tenon.ErrPeerGone }

func TestADeadPeerIsNoOrderlyEnd(t *testing.T) {
	x, y := inproc.Pair()
	defer y.Close()
	a := linknet.NewConn(dying{x})
	defer a.Close()
	_, err := io.ReadAll(a)
	if !errors.Is(err, tenon.ErrPeerGone) {
		t.Errorf("got %v, want ErrPeerGone", err)
	}
}

func TestErrorsNameTheOperationAndTheKindOfLink(t *testing.T) {
	a, _ := inprocConns(t)
	a.SetDeadline(longAgo)
	_, err := a.Read(make([]byte, 1))
	if want := "read inproc: i/o timeout"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if n := a.LocalAddr().Network(); n != "inproc" {
		t.Errorf("network %q", n)
	}
}

func TestReadAndWriteDoNotAllocate(t *testing.T) {
	overEveryLink(t, func(t *testing.T, a, b *linknet.Conn) {
		go func() {
			p := make([]byte, 64)
			for {
				n, err := b.Read(p)
				if err != nil {
					return
				}
				if _, err := b.Write(p[:n]); err != nil {
					return
				}
			}
		}()
		p := make([]byte, 64)
		later := time.Now().Add(time.Hour)
		if n := testing.AllocsPerRun(2000, func() {
			a.SetDeadline(later)
			a.Write(p)
			if _, err := io.ReadFull(a, p); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v allocations per round trip", n)
		}
	})
}

func checkTimeout(t *testing.T, what string, n int, err error) {
	t.Helper()
	var timeout net.Error
	if n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("%s: %d, %v, want a timeout", what, n, err)
	}
}

func write(t *testing.T, c net.Conn, s string) {
	t.Helper()
	if n, err := io.WriteString(c, s); n != len(s) || err != nil {
		t.Fatalf("Write: %d, %v", n, err)
	}
}

func read(t *testing.T, c net.Conn, n int) string {
	t.Helper()
	p := make([]byte, n)
	if _, err := io.ReadFull(c, p); err != nil {
		t.Fatalf("Read: %v", err)
	}
	return string(p)
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

type (
	onlyReader struct{ io.Reader }
	onlyWriter struct{ io.Writer }
)
