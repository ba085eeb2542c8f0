package tenon_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/iolink"
)

// narrow returns a Unix socket pair whose buffers hold about 4 KB.
func narrow(t *testing.T) (a, b tenon.Link) {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Skip(err)
	}
	var ends [2]tenon.Link
	for i, fd := range fds {
		syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_SNDBUF, 4096)
		syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
		f := os.NewFile(uintptr(fd), "narrow")
		c, err := net.FileConn(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		ends[i] = iolink.New(c)
	}
	return ends[0], ends[1]
}

func TestTenThousandCallsBothWaysThroughNarrowBuffersReport27(t *testing.T) {
	a, b := narrow(t)
	x, y := bothWays(t, a, b)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var callers sync.WaitGroup
	for _, conn := range []*tenon.Conn{x, y} {
		for i := range 5000 {
			callers.Go(func() {
				p := bytes.Repeat([]byte{byte(i)}, 200)
				got, err := echo.Call(ctx, conn, p)
				if err != nil || !bytes.Equal(got, p) {
					t.Errorf("call %d: %d bytes, %v", i, len(got), err)
				}
			})
		}
	}
	callers.Wait()
}

// Both sides stream at each other through narrow buffers, while calls and pings go
// in between.
func TestBothSidesStreamAtEachOtherReport29(t *testing.T) {
	a, b := narrow(t)
	srv := tenon.NewServer(tenon.WithLogger(quiet))
	(&calc{}).register(srv)
	piecesBack(srv)
	x := tenon.NewConn(t.Context(), a, srv)
	y := tenon.NewConn(t.Context(), b, srv)
	defer y.Close()
	defer x.Close()
	const size = 50_000
	items := long(100<<20, 10<<20) / size
	done := make(chan struct{})
	var streams, others sync.WaitGroup
	for _, conn := range []*tenon.Conn{x, y} {
		streams.Go(func() {
			got := 0
			piece := make([]byte, size)
			for p, err := range tenon.Stream(t.Context(), &pieces, conn, 0, &bytesItem, tenon.InputPort(&bytesItem, repeat(piece, items))) {
				if err != nil || len(p) != size {
					t.Errorf("item %d: %d bytes, %v", got, len(p), err)
					return
				}
				got++
			}
			if got != items {
				t.Errorf("%d items of %d", got, items)
			}
		})
		others.Go(func() {
			calls := 0
			for ; !closed(done); calls++ {
				mayCall(t, conn)
				if _, err := conn.Ping(t.Context()); err != nil {
					t.Error(err)
				}
			}
			if t.Logf("%d calls and pings", calls); calls < 10 {
				t.Errorf("only %d calls passed", calls)
			}
		})
	}
	waitFor(t, "a stream", 2*time.Minute, streams.Wait)
	close(done)
	waitFor(t, "a call", time.Minute, others.Wait)
}
