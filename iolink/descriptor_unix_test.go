//go:build unix

package iolink_test

import (
	"errors"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
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

func TestADescriptorThatWasSetToBlockingModeStillInterruptsAndClosesReport25(t *testing.T) {
	leak.Check(t)
	x, y := socketPair(t)
	defer y.Close()
	raw, err := x.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	raw.Control(func(fd uintptr) { err = syscall.SetNonblock(int(fd), false) })
	if err != nil {
		t.Fatal(err)
	}
	l := iolink.New(x)
	waiting := make(chan error, 1)
	go func() { waiting <- l.WaitRecv() }()
	time.Sleep(5 * time.Millisecond) // usually it waits by now; either order must work
	l.InterruptRecv()
	within(t, patience, "the interrupted wait", func() {
		if err := <-waiting; !errors.Is(err, tenon.ErrInterrupted) {
			t.Errorf("got %v, want ErrInterrupted", err)
		}
	})
	go func() { waiting <- l.WaitRecv() }()
	within(t, patience, "Close", func() {
		l.Close()
		if err := <-waiting; !errors.Is(err, net.ErrClosed) {
			t.Errorf("got %v, want net.ErrClosed", err)
		}
	})
}
