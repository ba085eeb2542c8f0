package shm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
)

func init() {
	roles["deaf"] = func(*Link) error { select {} }
	roles["flood"] = flood
	roles["words"] = func(l *Link) error {
		if err := l.Send([]byte("last words")); err != nil {
			return err
		}
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	roles["orphan"] = orphan
	roles["close"] = func(l *Link) error { return l.Send([]byte("bye")) }
}

// flood sends without end, and reads whatever comes.
func flood(l *Link) error {
	go func() {
		for {
			if _, err := l.Recv(); err != nil {
				return
			}
		}
	}()
	p := bytes.Repeat([]byte{7}, 5000)
	for {
		if err := l.Send(p); err != nil {
			return nil
		}
	}
}

// reaped waits until f returns, for at most a multiple of what it takes.
func reaped(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: still waiting", what)
	}
}

func TestKilledPeerEndsEveryWaitReport58(t *testing.T) {
	rounds := 40
	if soak {
		rounds = 1000
	}
	for round := range rounds {
		l, cmd := startChild(t, "flood", nil, Size(4096))
		kill := time.Duration(rand.IntN(12_000)) * time.Microsecond
		time.AfterFunc(kill, func() { cmd.Process.Kill() })
		var both sync.WaitGroup
		both.Go(func() {
			for {
				if err := l.Send(make([]byte, 3000)); err != nil {
					if err != tenon.ErrPeerGone {
						t.Errorf("Send: %v", err)
					}
					return
				}
			}
		})
		both.Go(func() {
			for {
				if _, err := l.Recv(); err != nil {
					if err != tenon.ErrPeerGone {
						t.Errorf("Recv: %v", err)
					}
					return
				}
			}
		})
		reaped(t, fmt.Sprint("round ", round), both.Wait)
		l.Close()
		cmd.Wait()
	}
}

func TestBlockedSenderLearnsThatTheReaderDiedReport59(t *testing.T) {
	l, cmd := startChild(t, "deaf", nil, Size(4096))
	sent := make(chan error, 1)
	go func() { sent <- l.Send(make([]byte, 100_000)) }()
	// The ring holds 4096 bytes: whatever the moment, the sender is not through.
	cmd.Process.Kill()
	select {
	case err := <-sent:
		if err != tenon.ErrPeerGone {
			t.Fatal(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the sender is still blocked")
	}
}

func TestWhatTheDeadPublishedIsDelivered(t *testing.T) {
	l, cmd := startChild(t, "words", nil)
	cmd.Wait()
	p, err := l.Recv()
	if err != nil || string(p) != "last words" {
		t.Fatalf("%q, %v", p, err)
	}
	if _, err := l.Recv(); err != tenon.ErrPeerGone {
		t.Fatal(err)
	}
}

func TestOrderlyEndOfAProcessIsEOF(t *testing.T) {
	l, cmd := startChild(t, "close", nil)
	cmd.Wait()
	p, err := l.Recv()
	if err != nil || string(p) != "bye" {
		t.Fatalf("%q, %v", p, err)
	}
	if _, err := l.Recv(); err != io.EOF {
		t.Fatal(err)
	}
}

// TestParentKilledChildLearnsIt has a process in the middle that is killed; its
// child then ends by itself, which closes the pipe it inherited.
func TestParentKilledChildLearnsIt(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	parent := exec.Command(exe)
	parent.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", roleVariable+"=parent")
	parent.ExtraFiles = []*os.File{w}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	line := make([]byte, 16)
	n, err := r.Read(line)
	if err != nil || !strings.HasPrefix(string(line[:n]), "ready") {
		t.Fatalf("%q, %v", line[:n], err)
	}
	parent.Process.Kill()
	parent.Wait()
	r.SetReadDeadline(time.Now().Add(20 * time.Second))
	rest, err := io.ReadAll(r)
	if err != nil || string(rest) != tenon.ErrPeerGone.Error() {
		t.Fatalf("%q, %v", rest, err)
	}
}

// parent starts a child that inherits the pipe and waits for ever.
func parent(pipe *os.File) error {
	size, _ := strconv.Atoi(os.Getenv("TENON_SHM_TEST_SIZE"))
	link, peer, err := Create(Size(max(size, 4096)))
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", roleVariable+"=orphan")
	cmd.ExtraFiles = []*os.File{peer.Memory, peer.Socket, pipe}
	if err := cmd.Start(); err != nil {
		return err
	}
	peer.Close()
	pipe.Close()
	_, err = link.Recv()
	return err
}

// orphan says on its pipe that it waits, and then how the wait ended.
func orphan(l *Link) error {
	pipe := os.NewFile(5, "pipe")
	fmt.Fprintln(pipe, "ready")
	_, err := l.Recv()
	if !errors.Is(err, tenon.ErrPeerGone) {
		err = fmt.Errorf("unexpected: %w", err)
	}
	fmt.Fprint(pipe, err)
	return nil
}
