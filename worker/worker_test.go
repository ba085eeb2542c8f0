//go:build linux

package worker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/worker"
)

func TestCallsReachAWorkerOverEachKindOfLink(t *testing.T) {
	for _, link := range []worker.Link{worker.SharedMemory, worker.UnixSocket, worker.Pipe} {
		t.Run(string(link), func(t *testing.T) {
			w := start(t, worker.Over(link))
			if got := order(t, w, "echo hello"); got != "hello" {
				t.Errorf("answer %q", got)
			}
			if w.Kind() != string(link) {
				t.Errorf("kind %q", w.Kind())
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A worker that is stopped holds no call beyond its deadline, idle as it was or with
// all its buffers full; and when it goes on, so does the connection.
func TestCallsReturnAtTheirDeadlineWhileAWorkerIsStopped(t *testing.T) {
	for _, link := range []worker.Link{worker.SharedMemory, worker.UnixSocket, worker.Pipe} {
		t.Run(string(link), func(t *testing.T) {
			w := start(t, worker.Over(link))
			order(t, w, "echo hello")
			if err := syscall.Kill(w.PID(), syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			for !isStopped(t, w.PID()) {
				time.Sleep(time.Millisecond)
			}
			large := "echo " + strings.Repeat("x", 256<<10)
			for i := range 50 {
				what := large
				if i < 5 {
					what = "echo idle"
				}
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
				asked := time.Now()
				_, err := do.Call(ctx, w, what)
				cancel()
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("call %d: %v", i, err)
				}
				if took := time.Since(asked); took > 2*time.Second {
					t.Errorf("call %d returned after %v", i, took)
				}
			}
			if err := syscall.Kill(w.PID(), syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			if got := order(t, w, large); "echo "+got != large {
				t.Errorf("it goes on with an answer of %d bytes", len(got))
			}
		})
	}
}

func isStopped(t *testing.T, pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(status), "State:\tT")
}

func TestKill9InTheMiddleOfACallReport43(t *testing.T) {
	var slowest time.Duration
	unexplained := 0
	for i := range 100 {
		name := fmt.Sprintf("victim-%d", i)
		w := start(t, worker.Name(name))
		failed := begin(t, w, "block")
		killed := time.Now()
		if err := syscall.Kill(w.PID(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		err := <-failed
		slowest = max(slowest, time.Since(killed))
		for _, part := range []string{name, fmt.Sprint(w.PID())} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q does not name %q", err, part)
			}
		}
		if tenon.SafeToRetry(err) {
			t.Errorf("a call that ran is said to be safe to retry: %v", err)
		}
		var exit *worker.ExitError
		switch {
		case !errors.As(err, &exit):
			unexplained++ // the machine was too busy for the 50 ms that calls wait for it
		case exit.Name != name || exit.PID != w.PID() || exit.Signal != syscall.SIGKILL || !strings.Contains(err.Error(), "SIGKILL"):
			t.Errorf("%v: %+v", err, exit)
		}
		<-w.Done()
	}
	t.Logf("slowest error after kill -9: %v, %d without the signal", slowest, unexplained)
	if slowest > 2*time.Second || unexplained > 20 {
		t.Errorf("callers waited up to %v; %d did not learn of the signal", slowest, unexplained)
	}
	order(t, start(t), "echo next")
}

func TestExitErrorTellsStatusAndLastLines(t *testing.T) {
	w := start(t)
	order(t, w, "complain about something\n")
	_, err := do.Call(context.Background(), w, "exit 3")
	var exit *worker.ExitError
	if !errors.As(err, &exit) || exit.Status != 3 || exit.Signal != nil || exit.Stderr != "about something" {
		t.Fatalf("%v: %+v", err, exit)
	}
	<-w.Done()
	if w.Err() != error(exit) {
		t.Errorf("Err is %v", w.Err())
	}
}

func TestExitErrorKeepsThePanicBeforeLongTraces(t *testing.T) {
	w := start(t, worker.Output(new(lines)))
	_, err := do.Call(context.Background(), w, "crash")
	if err == nil || !strings.Contains(err.Error(), "panic: the codec is broken") {
		t.Errorf("%v", err)
	}
}

func TestMemoryLimitKillsAndSaysSo(t *testing.T) {
	w := start(t, worker.MemoryLimit(64<<20))
	_, err := do.Call(context.Background(), w, "eat")
	var exit *worker.ExitError
	if !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit.Signal != syscall.SIGKILL || !strings.Contains(exit.Reason, "the limit is 64 MiB") {
		t.Errorf("%v", exit)
	}
	if exit.Peak < 60<<20 || exit.Peak > 4<<30 {
		t.Errorf("peak %d MiB", exit.Peak>>20)
	}
	t.Log(err)
}

func TestBackCallsReachTheParent(t *testing.T) {
	back := tenon.NewServer()
	tenon.Handle(back, &do, func(_ context.Context, q string) (string, error) { return "parent:" + q, nil })
	w := start(t, worker.Back(back))
	if got := order(t, w, "ask why"); got != "parent:why" {
		t.Errorf("answer %q", got)
	}
}

// Handlers that the other process calls one after the other may use variables of
// theirs without locks: the race detector knows that they do, over every link.
func TestTurnsTakenByWayOfTheOtherProcessAreNoRace(t *testing.T) {
	for name, link := range map[string]worker.Link{"shm": worker.SharedMemory, "unix": worker.UnixSocket, "pipe": worker.Pipe} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			back := tenon.NewServer()
			tenon.Handle(back, &do, func(context.Context, string) (string, error) {
				calls++
				return "", nil
			})
			w := start(t, worker.Over(link), worker.Back(back))
			for range 20 {
				if _, err := do.Call(t.Context(), w, "ask why"); err != nil {
					t.Fatal(err)
				}
			}
			if calls != 20 {
				t.Error(calls)
			}
		})
	}
}

func TestNicenessIsThatOfEveryThread(t *testing.T) {
	plain, nice := order(t, start(t), "nice"), order(t, start(t, worker.Nice(niceness)), "nice")
	own, err := strconv.Atoi(plain)
	if err != nil {
		t.Fatalf("%q", plain)
	}
	if want := strconv.Itoa(min(own+niceness, 19)); nice != want {
		t.Errorf("niceness %q, want %q", nice, want)
	}
}

func TestPollingReachesTheWorker(t *testing.T) {
	for want, opts := range map[string][]worker.Option{
		"unset": nil,
		"0s":    {worker.Polling(0), worker.RingSize(8 << 10)},
		"1.5ms": {worker.Polling(1500 * time.Microsecond), worker.Over(worker.UnixSocket)},
	} {
		w := start(t, opts...)
		if got := order(t, w, "polling"); got != want {
			t.Errorf("the worker was told to poll %s, not %s", got, want)
		}
		if got := order(t, w, "echo "+strings.Repeat("x", 1<<20)); len(got) != 1<<20 {
			t.Errorf("%d bytes", len(got))
		}
	}
}

// Main's options are those of the worker's side: here what it accepts.
func TestOptionsOfMainAreTheWorkersSide(t *testing.T) {
	w, err := worker.Start(context.Background(), worker.Self("small"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	order(t, w, "echo hi")
	_, err = do.Call(context.Background(), w, "echo "+strings.Repeat("x", 100<<10))
	if err == nil || !strings.Contains(err.Error(), "at most 65536") {
		t.Errorf("%v", err)
	}
}

func TestInterceptorsOfBothSidesOfAWorker(t *testing.T) {
	var seen []string
	note := func(side string) tenon.Interceptor {
		return func(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) error {
			err := next(ctx)
			seen = append(seen, fmt.Sprintf("%s %s %d", side, info.Peer, info.SentBytes))
			return err
		}
	}
	w, err := worker.Start(context.Background(), worker.Self("guarded"), worker.Conn(tenon.WithCallInterceptor(note("inner"))))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	caller := tenon.Intercept(w, note("outer"))
	_, err = do.Call(context.Background(), caller, "echo hi")
	if !tenon.SafeToRetry(err) || !strings.Contains(err.Error(), "without a name") {
		t.Error(err)
	}
	named := tenon.WithMetadata(context.Background(), map[string]string{"name": "ann"})
	if got, err := do.Call(named, caller, "echo hi"); err != nil || got != "hi" {
		t.Errorf("%q, %v", got, err)
	}
	once := []string{"inner " + w.String() + " 8", "outer " + w.String() + " 8"}
	if !slices.Equal(seen, append(once, once...)) {
		t.Errorf("%q", seen)
	}
}

func TestEnvironmentDirectoryAndNameOfAWorker(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("ONE", "of the parent")
	w := start(t, worker.Env("ONE=1", "TWO=1"), worker.Env("TWO=2"), worker.Dir(dir), worker.Name("a-name"), worker.MemoryLimit(1<<30))
	env := strings.Split(order(t, w, "env"), "\n")
	if !slices.Contains(env, "ONE=1") || !slices.Contains(env, "TWO=2") {
		t.Errorf("environment %q", env)
	}
	if limit := fmt.Sprintf("GOMEMLIMIT=%d", 1<<30/4*3); !slices.Contains(env, limit) {
		t.Errorf("no %s in the environment %q", limit, env)
	}
	for _, kv := range env {
		if strings.HasPrefix(kv, "TENON_WORKER=") || strings.HasPrefix(kv, "TENON_LINK=") {
			t.Errorf("the worker's children would see %s", kv)
		}
	}
	if got := order(t, w, "dir"); got != dir {
		t.Errorf("directory %q", got)
	}
	if got := order(t, w, "comm"); strings.Contains(got, "exe") {
		t.Errorf("top shows %q", got)
	}
	if got := order(t, w, "args"); got != os.Args[0] {
		t.Errorf("arguments %q", got)
	}
	if !strings.HasPrefix(w.String(), "worker a-name (pid ") {
		t.Errorf("%v", w)
	}
}

func TestWorkerHoldsOnlyItsOwnDescriptorsReport24(t *testing.T) {
	// A descriptor of Go's must not leak, whatever starts at the same time, and
	// one that somebody left open for every child is closed in a worker.
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stray, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(stray)
	for _, link := range []worker.Link{worker.SharedMemory, worker.UnixSocket, worker.Pipe} {
		others := make(chan *worker.Worker)
		for range 4 {
			go func() {
				w, err := worker.Start(context.Background(), worker.Self("test"), worker.Over(link))
				if err != nil {
					t.Error(err)
				}
				others <- w
			}()
		}
		for range 4 {
			w := <-others
			if w == nil {
				continue
			}
			if list := strings.Split(order(t, w, "fds"), "\n"); len(list) > 3+1+2 {
				t.Errorf("%s: the worker holds\n%s", link, strings.Join(list, "\n"))
			}
			if list := strings.Split(order(t, w, "grandfds"), "\n"); len(list) != 3 {
				t.Errorf("%s: the grandchild holds\n%s", link, strings.Join(list, "\n"))
			}
			w.Kill()
		}
	}
}

// A listener goes to a worker and stays as it was: accepts are still broken off
// by Close.
func TestListenerPassedOnReport25(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := start(t, worker.Files(f))
	served := begin(t, w, "accept")
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got, _ := io.ReadAll(c); string(got) != "from the worker" {
		t.Errorf("%q", got)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	accepted := make(chan error, 1)
	go func() {
		_, err := l.Accept()
		accepted <- err
	}()
	l.Close()
	if err := <-accepted; !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

// Files that wait through the runtime do so after they were passed on, also to a
// program that does not care and when the start failed.
func TestPipePassedOnKeepsItsDeadlinesReport25(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := worker.Start(context.Background(), worker.Program("true"), worker.Files(r)); err == nil {
		t.Error("no error")
	}
	if err := r.SetReadDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(10*time.Second, func() { w.Close() })
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if stuck.Stop() {
		w.Close()
	}
}

func TestBrokenOutputDoesNotEndAWorkerReport83(t *testing.T) {
	w := start(t)
	if got := order(t, w, "break"); got != "true true" {
		t.Errorf("writes to a broken pipe failed: %s", got)
	}
	order(t, w, "echo still there")
}

func TestEndOfStandardInputDoesNotEndAWorkerReport11(t *testing.T) {
	w := start(t)
	if got := order(t, w, "stdin"); got != "0 EOF" {
		t.Errorf("standard input: %s", got)
	}
	order(t, w, "echo still there")
}

// Crashes leave nothing in the host. TENON_SOAK=1 has a thousand.
func TestCrashesLeaveNothingReport10(t *testing.T) {
	crash := func() {
		w := start(t)
		if _, err := do.Call(context.Background(), w, "exit 1"); err == nil {
			t.Fatal("no error")
		}
		<-w.Done()
	}
	n := rounds(50, 1000)
	for range 10 {
		crash()
	}
	leak.Check(t)
	before := heap()
	for range n {
		crash()
	}
	if after := heap(); after > before+int64(n)*(8<<10)+(1<<20) {
		t.Errorf("heap grew from %d KiB to %d KiB in %d crashes", before>>10, after>>10, n)
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestServeInASeparateProgram(t *testing.T) {
	w, err := worker.Start(context.Background(), worker.Program(os.Args[0]), worker.Env("TENON_TEST_PROGRAM=serve"))
	if err != nil {
		t.Fatal(err)
	}
	if got := order(t, w, "echo hi"); got != "hi" {
		t.Errorf("answer %q", got)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

func TestServeOutsideOfAWorkerSaysWhatToDo(t *testing.T) {
	err := worker.Serve(context.Background(), tenon.NewServer())
	if !errors.Is(err, worker.ErrNotWorker) || !strings.Contains(err.Error(), "worker.Start") {
		t.Errorf("%v", err)
	}
}
