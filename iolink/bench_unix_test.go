//go:build unix

package iolink_test

import (
	"io"
	"os"
	"syscall"
	"testing"

	"github.com/tenon-go/tenon/iolink"
)

// The floor is the same bytes through the same socket pair without a link.

func socketPair(tb testing.TB) (a, b *os.File) {
	tb.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		tb.Skip(err)
	}
	syscall.SetNonblock(fds[0], true)
	syscall.SetNonblock(fds[1], true)
	return os.NewFile(uintptr(fds[0]), "a"), os.NewFile(uintptr(fds[1]), "b")
}

func BenchmarkPingPong(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		x, y := socketPair(b)
		defer x.Close()
		defer y.Close()
		go func() {
			p := make([]byte, pingSize)
			for {
				if _, err := io.ReadFull(y, p); err != nil {
					return
				}
				if _, err := y.Write(p); err != nil {
					return
				}
			}
		}()
		p := make([]byte, pingSize)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := x.Write(p); err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadFull(x, p); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("link", func(b *testing.B) {
		x, y := socketPair(b)
		pingPong(b, iolink.New(x), iolink.New(y))
	})
	b.Run("link driven by goroutines", func(b *testing.B) {
		x, y := socketPair(b)
		pingPong(b, iolink.New(wrapped{x}), iolink.New(wrapped{y}))
	})
}

// wrapped hides what an *os.File can do beyond an io.ReadWriteCloser.
type wrapped struct{ io.ReadWriteCloser }

func pingPong(b *testing.B, x, y *iolink.Link) {
	defer x.Close()
	defer y.Close()
	go func() {
		for echo(y) == nil {
		}
	}()
	b.ReportAllocs()
	for b.Loop() {
		if err := build(x); err != nil {
			b.Fatal(err)
		}
		if _, err := x.Recv(); err != nil {
			b.Fatal(err)
		}
	}
}

func echo(l *iolink.Link) error {
	if _, err := l.Recv(); err != nil {
		return err
	}
	return build(l)
}
