//go:build linux

package worker_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// parent is a process that starts workers: one idle, one in a call, one with a
// child of its own, one with all cores busy.
type parent struct {
	*exec.Cmd
	out     *bufio.Reader
	workers []int
	child   int // of a worker
}

func startParent(t *testing.T, env ...string) *parent {
	t.Helper()
	p := &parent{Cmd: exec.Command(os.Args[0])}
	p.Env = append(append(os.Environ(), "TENON_TEST_PROGRAM=parent"), env...)
	p.Stderr = os.Stderr
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	var pids []int
	for {
		line, err := p.out.ReadString('\n')
		line = strings.TrimSpace(line)
		if line == "ready" {
			break
		}
		pid, notPID := strconv.Atoi(line)
		if err != nil || notPID != nil {
			t.Fatalf("%q, %v", line, err)
		}
		pids = append(pids, pid)
	}
	if len(pids) != 5 {
		t.Fatalf("pids %v", pids)
	}
	p.workers, p.child = slices.Delete(slices.Clone(pids), 3, 4), pids[3]
	return p
}

func (p *parent) kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
}

// all are the workers and what they started.
func (p *parent) all() []int { return append(slices.Clone(p.workers), p.child) }

func (p *parent) signalWorkers(sig syscall.Signal) {
	for _, pid := range p.workers {
		_ = syscall.Kill(pid, sig)
	}
}

func allGone(t *testing.T, pids []int, d time.Duration) {
	t.Helper()
	end := time.Now().Add(d)
	for _, pid := range pids {
		gone(t, pid, time.Until(end))
	}
}

// TENON_SOAK=1 kills a hundred parents.
func TestNothingOutlivesItsParentReport1(t *testing.T) {
	for range rounds(10, 100) {
		p := startParent(t)
		p.kill()
		allGone(t, p.all(), 2*time.Second)
	}
}

func TestNothingThatIsStoppedOutlivesItsParentReport1(t *testing.T) {
	p := startParent(t)
	p.signalWorkers(syscall.SIGSTOP)
	p.kill()
	allGone(t, p.all(), 2*time.Second)
}

// Where the kernel does not act, the worker does.
func TestHangUpEndsAWorkerAndItsGroupReport11(t *testing.T) {
	p := startParent(t, "TEST_DISARM=1")
	p.kill()
	allGone(t, p.all(), 10*time.Second)
}

// A host in a container or a service may have a subreaper that is not pid 1:
// a worker that polled its parent's number for 1 would never notice.
func TestParentDiesBelowASubreaperReport2(t *testing.T) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Skip(err)
	}
	defer unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	p := startParent(t)
	p.kill()
	allGone(t, p.all(), 2*time.Second)
	for _, pid := range p.all() {
		_, _ = unix.Wait4(pid, nil, 0, nil) // they became ours
	}
}

// A host that does nothing about SIGTERM dies of it.
func TestTerminatingTheParentAloneEndsTheTreeReport7(t *testing.T) {
	p := startParent(t)
	_ = p.Process.Signal(syscall.SIGTERM)
	_ = p.Wait()
	allGone(t, p.all(), 2*time.Second)
}

// A host that ends its context at SIGTERM ends the tree in order.
func TestTerminatingTheParentEndsTheTreeInOrderReport7(t *testing.T) {
	p := startParent(t, "TEST_IN_ORDER=1")
	_ = p.Process.Signal(syscall.SIGTERM)
	said, _ := io.ReadAll(p.out)
	if err := p.Wait(); err != nil || string(said) != "in order\n" {
		t.Errorf("%v, %q", err, said)
	}
	allGone(t, p.all(), 2*time.Second)
}

// What is killed on both sides leaves no file: there never was one.
func TestNoFilesAreLeftReport21(t *testing.T) {
	dir := t.TempDir()
	shm := entries(t, "/dev/shm")
	for range rounds(3, 100) {
		p := startParent(t, "TMPDIR="+dir)
		p.kill()
		p.signalWorkers(syscall.SIGKILL)
		allGone(t, p.all(), 2*time.Second)
	}
	if n := entries(t, dir); n != 0 {
		t.Errorf("%d files left in the temporary directory", n)
	}
	if n := entries(t, "/dev/shm"); n != shm {
		t.Errorf("%d files in /dev/shm, %d before", n, shm)
	}
}

// rounds is how often a test repeats what it does.
func rounds(plain, soak int) int {
	if os.Getenv("TENON_SOAK") != "" {
		return soak
	}
	return plain
}

func entries(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return len(list)
}
