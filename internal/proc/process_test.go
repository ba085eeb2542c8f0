//go:build linux

package proc_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/internal/proc"
)

func TestMain(m *testing.M) {
	// The thread that starts children stays for ever: have it before counting.
	_, _ = proc.Start(proc.Config{Path: "/"})
	os.Exit(leak.Main(m))
}

// sh starts a shell whose standard output is returned.
func sh(t testing.TB, script string) (*proc.Process, *os.File) {
	t.Helper()
	path, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	p, err := proc.Start(proc.Config{
		Path: path, Args: []string{"sh", "-c", script}, Env: os.Environ(), Files: []*os.File{null, w, w},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.Kill()
		<-p.Done()
		r.Close()
	})
	return p, r
}

func TestStatusTellsHowAProcessEnded(t *testing.T) {
	p, _ := sh(t, "exit 7")
	if s := p.Status(); s.Code != 7 || s.Signal != 0 || s.Peak == 0 {
		t.Errorf("%+v", s)
	}
	p, _ = sh(t, "kill -SEGV $$")
	if s := p.Status(); s.Code != -1 || s.Signal != syscall.SIGSEGV {
		t.Errorf("%+v", s)
	}
}

func TestNothingIsSignalledAfterItsEndReport5(t *testing.T) {
	p, _ := sh(t, "exit 0")
	<-p.Done()
	// The number may be somebody else's now. It is not used any more.
	if err := p.Kill(); !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
	}
	if err := p.Signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
	}
	if _, err := p.Meter(); !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
	}
}

func TestGroupEndsWithItsLeaderReport8(t *testing.T) {
	for name, script := range map[string]string{
		"leader ends":   "sleep 1000 & echo $!",
		"leader killed": "sleep 1000 & echo $!; kill -9 $$",
	} {
		t.Run(name, func(t *testing.T) {
			p, out := sh(t, script)
			buf := make([]byte, 32)
			n, err := out.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			child, _ := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
			<-p.Done()
			// The pipe ends when the last of the group has.
			_ = out.SetReadDeadline(time.Now().Add(10 * time.Second))
			if n, err := out.Read(buf); n != 0 || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("process %d of the group is alive: %v", child, err)
				_ = syscall.Kill(child, syscall.SIGKILL)
			}
		})
	}
}

func TestWaitingForChildrenCostsNoThreads(t *testing.T) {
	before := threads(t)
	for range 50 {
		sh(t, "sleep 1000")
	}
	if after := threads(t); after > before+10 {
		t.Errorf("%d threads for 50 children", after-before)
	}
}

func threads(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestMeterFollowsTheProcessNotItsNumber(t *testing.T) {
	p, out := sh(t, "echo up; sleep 1000")
	_, _ = out.Read(make([]byte, 3))
	m, err := p.Meter()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if n, err := m.Resident(); err != nil || n < 100<<10 || n > 100<<20 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = m.Resident() }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	_ = p.Kill()
	<-p.Done()
	if _, err := m.Resident(); err == nil {
		t.Error("the memory of a process that is no more")
	}
}

func TestStartErrorsNameThePath(t *testing.T) {
	var failed *os.PathError
	_, err := proc.Start(proc.Config{Path: filepath.Join(t.TempDir(), "none")})
	if !errors.As(err, &failed) || !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	_, err = proc.Start(proc.Config{Path: "/bin/sh", Dir: filepath.Join(t.TempDir(), "none")})
	if !errors.As(err, &failed) || !strings.HasSuffix(failed.Path, "none") {
		t.Error(err)
	}
}

func TestReadNowDoesNotWait(t *testing.T) {
	ours, theirs, err := proc.SocketPair()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	buf := make([]byte, 8)
	if n, err := proc.ReadNow(ours, buf); n != 0 || err != nil {
		t.Errorf("nothing there: %d, %v", n, err)
	}
	_, _ = theirs.Write([]byte("abc"))
	if n, err := proc.ReadNow(ours, buf); n != 3 || err != nil {
		t.Errorf("three bytes: %d, %v", n, err)
	}
	theirs.Close()
	if n, err := proc.ReadNow(ours, buf); n != 0 || err == nil {
		t.Errorf("end: %d, %v", n, err)
	}
}

// A child belongs to the program, not to the thread that happened to run when it
// was started: Go ends threads as it likes.
func TestChildOutlivesTheThreadThatAskedForIt(t *testing.T) {
	type started struct {
		process *proc.Process
		thread  int
	}
	result := make(chan started)
	go func() {
		runtime.LockOSThread() // the thread ends with this goroutine
		p, _ := sh(t, "exec sleep 1000")
		result <- started{p, unix.Gettid()}
	}()
	got := <-result
	task := fmt.Sprintf("/proc/self/task/%d", got.thread)
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(task); os.IsNotExist(err) {
			break
		}
		if time.Now().After(end) {
			t.Skip("the thread does not end") // it is the main thread
		}
	}
	_ = got.process.Signal(syscall.SIGTERM)
	if s := got.process.Status(); s.Signal != syscall.SIGTERM {
		t.Errorf("the child died with a thread: %+v", s)
	}
}

// The number of a child that has ended is given to another process, whose group
// has the same number: it is left alone.
func TestNumberGivenToAnotherProcessReport5(t *testing.T) {
	for range 50 {
		p, _ := sh(t, "exit 0")
		<-p.Done()
		if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(p.PID()-1)), 0); err != nil {
			t.Skip("this needs the right to choose process numbers: ", err)
		}
		other := exec.Command("sleep", "1000")
		other.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		same := other.Process.Pid == p.PID()
		_ = p.Kill()
		_ = p.Signal(syscall.SIGTERM)
		_ = other.Process.Signal(syscall.SIGUSR1)
		_ = other.Wait()
		if by := other.ProcessState.Sys().(syscall.WaitStatus).Signal(); same && by != syscall.SIGUSR1 {
			t.Fatalf("another process with the number %d got %v", p.PID(), by)
		}
		if same {
			return
		}
	}
	t.Skip("no number was given out again: others start processes at the same time")
}
