package shm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// listenInChild has another process listen at path; it returns how to kill it.
func listenInChild(t testing.TB, address string) (kill func()) {
	t.Helper()
	cmd, out := startRole(t, "listen", address)
	line := make([]byte, 16)
	if n, err := out.Read(line); err != nil || !strings.HasPrefix(string(line[:n]), "ready") {
		t.Fatalf("%q, %v", line[:n], err)
	}
	return func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
}

// startRole runs a role that takes an argument and returns its output.
func startRole(t testing.TB, role, arg string) (*exec.Cmd, io.ReadCloser) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", roleVariable+"="+role, argVariable+"="+arg)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, out
}

func init() {
	strangers["listen"] = func(address string) error {
		l, err := Listen(address)
		if err != nil {
			return err
		}
		fmt.Println("ready")
		for {
			link, err := l.Accept(context.Background())
			if err != nil {
				return err
			}
			go echo(link)
		}
	}
	strangers["dial"] = func(address string) error {
		l, err := Dial(context.Background(), address)
		if err != nil {
			return err
		}
		return echo(l)
	}
	strangers["flooded"] = flooded
	strangers["private"] = private
}

// TestKilledStrangersLeaveNoFilesReport21 kills listener and dialer.
func TestKilledStrangersLeaveNoFilesReport21(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	rounds := 10
	if soak {
		rounds = 100
	}
	for range rounds {
		address := someName(t)
		kill := listenInChild(t, address)
		dialer, _ := startRole(t, "dial", address)
		link, err := Dial(soon(t), address)
		if err != nil {
			t.Fatal(err)
		}
		dialer.Process.Kill()
		kill()
		link.Close()
	}
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	if sockets, err := os.ReadFile("/proc/net/unix"); err == nil && bytes.Contains(sockets, []byte(someName(t))) {
		t.Fatal("a name is left")
	}
}

// TestListenerOutlivesLackOfDescriptorsReport26 floods a listener that may open
// 64 descriptors; it answers again when some become free.
func TestListenerOutlivesLackOfDescriptorsReport26(t *testing.T) {
	address := someName(t)
	_, out := startRole(t, "flooded", address)
	line := make([]byte, 16)
	if _, err := out.Read(line); err != nil {
		t.Fatal(err)
	}
	var conns []net.Conn
	for range 100 {
		conn, err := net.Dial("unix", address)
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
	}
	n, err := out.Read(line) // it has none left
	if err != nil || !strings.HasPrefix(string(line[:n]), "full") {
		t.Fatalf("%q, %v", line[:n], err)
	}
	for _, conn := range conns {
		conn.Close()
	}
	link, err := Dial(soon(t), address)
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	link.Send([]byte("hello"))
	if p, err := link.Recv(); err != nil || string(p) != "hello" {
		t.Fatalf("%q, %v", p, err)
	}
}

func flooded(address string) error {
	limit := unix.Rlimit{Cur: 48, Max: 48}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	go func() {
		for {
			f, err := os.Open(os.DevNull)
			if errors.Is(err, syscall.EMFILE) {
				fmt.Println("full")
				return
			}
			f.Close()
			time.Sleep(time.Millisecond)
		}
	}()
	return strangers["listen"](address)
}

// TestNoDirectoryIsSharedReport23 has a peer with a file system view of its own.
func TestNoDirectoryIsSharedReport23(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l := mustListen(t, someName(t))
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", roleVariable+"=private", argVariable+"="+l.Addr().String())
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if err := cmd.Start(); errors.Is(err, os.ErrPermission) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	link, err := l.Accept(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	link.Send([]byte("hello"))
	if p, err := link.Recv(); err != nil || string(p) != "hello" {
		t.Fatalf("%q, %v", p, err)
	}
}

func private(address string) error {
	if err := unix.Mount("none", os.TempDir(), "tmpfs", 0, ""); err != nil {
		return err
	}
	return strangers["dial"](address)
}
