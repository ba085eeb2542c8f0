//go:build unix

package iolink_test

import (
	"net"
	"syscall"
	"testing"

	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/iolink"
)

func TestTCPSendsWithoutDelay(t *testing.T) {
	leak.Check(t)
	x, y := connected(t, "tcp")
	defer y.Close()
	x.(*net.TCPConn).SetNoDelay(false)
	l := iolink.New(x)
	defer l.Close()
	raw, err := x.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	raw.Control(func(fd uintptr) {
		if on, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_NODELAY); on == 0 || err != nil {
			t.Errorf("TCP_NODELAY is %d, %v", on, err)
		}
	})
}
