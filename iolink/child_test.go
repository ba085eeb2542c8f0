package iolink_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/iolink"
)

// These tests run the test binary again as a child that talks on its standard
// streams.

const childRole = "IOLINK_CHILD"

func child(role string) int {
	fmt.Println("printed before the link was there")
	l, err := iolink.Stdio()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	defer l.Close()
	switch role {
	case "sleeper":
		select {}
	case "printer": // prints a lot between the answers
		go func() {
			for {
				fmt.Println(strings.Repeat("noise ", 1000))
			}
		}()
	}
	for {
		p, err := l.Recv()
		if err == io.EOF {
			return 0
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 4
		}
		if bytes.Contains(p, []byte("again")) {
			if _, err := iolink.Stdio(); err != nil {
				p = []byte(err.Error())
			}
		}
		if err := l.Send(p); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 5
		}
	}
}

// startChild starts a child and a link to it. The child's first print is on the
// link, for it came before Stdio.
func startChild(t *testing.T, role string, stderr *os.File) (*exec.Cmd, *iolink.Link) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"="+role)
	if stderr != nil {
		cmd.Stderr = stderr
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l := iolink.NewReadWriter(out, in)
	greeting := "printed before the link was there\n"
	if got := recvN(t, l, len(greeting)); got != greeting {
		t.Fatalf("the child began with %q", got)
	}
	return cmd, l
}

func recvN(t *testing.T, l *iolink.Link, n int) string {
	t.Helper()
	var got []byte
	for len(got) < n {
		p, err := l.Recv()
		if err != nil {
			t.Fatalf("after %q: %v", got, err)
		}
		got = append(got, p...)
	}
	return string(got)
}

func ask(t *testing.T, l *iolink.Link, question string) {
	t.Helper()
	if err := l.Send([]byte(question)); err != nil {
		t.Fatal(err)
	}
	if got := recvN(t, l, len(question)); got != question {
		t.Fatalf("asked %q, got %q", question, got)
	}
}

func TestAChildTalksOnItsStandardStreams(t *testing.T) {
	leak.Check(t)
	cmd, l := startChild(t, "echo", os.Stderr)
	for i := range 100 {
		ask(t, l, fmt.Sprint("question ", i))
	}
	if err := l.Send([]byte("again")); err != nil {
		t.Fatal(err)
	}
	if answer := recvN(t, l, 20); !strings.Contains(answer, "Stdio was called") {
		t.Errorf("a second Stdio answers %q", answer)
	}
	l.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the child did not end well when the link was closed: %v", err)
	}
}

func TestPrintsOfAChildDoNotGetBetweenTheBytesReport17(t *testing.T) {
	leak.Check(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd, l := startChild(t, "printer", w)
	w.Close()
	go io.Copy(io.Discard, r)
	for i := range 100 {
		ask(t, l, fmt.Sprint("question ", i))
	}
	l.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestAChildWhoseOutputPipesAreClosedKeepsServingReport83(t *testing.T) {
	leak.Check(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd, l := startChild(t, "printer", w)
	w.Close()
	r.Close() // from now on every print of the child fails
	for i := range 200 {
		ask(t, l, fmt.Sprint("question ", i))
	}
	l.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the child ended with %v, want exit status 0", err)
	}
}

func TestASenderBlockedOnAPeerThatIsKilledReturnsReport59(t *testing.T) {
	leak.Check(t)
	cmd, l := startChild(t, "sleeper", os.Stderr)
	blocked := make(chan error, 1)
	go func() {
		for {
			if p := l.Reserve(4096); p != nil {
				if err := errors.Join(l.Commit(p[:4096]), l.Flush()); err != nil {
					blocked <- err
					return
				}
			} else if err := l.WaitSend(4096); errors.Is(err, tenon.ErrInterrupted) {
				blocked <- nil // it was blocked, and goes on below
				l.WaitSend(4096)
			} else if err != nil {
				blocked <- err
				return
			}
		}
	}()
	// Only a sender that has nowhere to put its bytes waits and can be interrupted.
	time.Sleep(20 * time.Millisecond)
	l.InterruptSend()
	if err := <-blocked; err != nil {
		t.Fatal(err)
	}
	cmd.Process.Kill()
	select {
	case err := <-blocked:
		if !errors.Is(err, tenon.ErrPeerGone) {
			t.Errorf("got %v, want ErrPeerGone", err)
		}
	case <-time.After(patience):
		t.Error("the sender still waits for a peer that is dead")
	}
	if _, err := recvAll(l); err != io.EOF && !errors.Is(err, tenon.ErrPeerGone) {
		t.Errorf("Recv: got %v, want io.EOF or ErrPeerGone", err)
	}
	l.Close()
	cmd.Wait()
}
