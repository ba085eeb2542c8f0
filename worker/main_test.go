//go:build linux

package worker_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/worker"
)

// The test binary is its own worker program, and its own parent where a test
// kills the parent.
func TestMain(m *testing.M) {
	worker.Main("test", registerTest)
	worker.Main("greeter", registerGreeter)
	worker.Main("small", registerTest, tenon.WithMaxMessage(64<<10))
	worker.Main("guarded", registerTest, tenon.WithHandlerInterceptor(guard))
	worker.Main("refuses", func(*tenon.Server) error { return fmt.Errorf("the model file is missing") })
	worker.Main("panics", func(*tenon.Server) error { panic("no model") })
	worker.Main("hangs", func(*tenon.Server) error { select {} })
	if os.Getenv("TEST_TOO_EARLY") != "" {
		tooEarly()
	}
	switch os.Getenv("TENON_TEST_PROGRAM") {
	case "parent":
		parentProgram()
	case "serve":
		serveProgram()
	case "exit":
		os.Exit(0)
	}
	noteInherited()
	// A program built with -race sleeps for a second before it exits, by default.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	// The thread that starts children stays for ever: have it before counting.
	for _, nice := range []int{0, niceness} {
		_, _ = worker.Start(context.Background(), worker.Program("true"), worker.Nice(nice))
	}
	os.Exit(leak.Main(m))
}

const niceness = 3

// tooEarly is a main that starts workers before it calls worker.Main.
func tooEarly() {
	_, err := worker.Start(context.Background(), worker.Self("test"))
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// do is the one method of the tests' contract: an order in words.
var do = tenon.Method[string, string]{
	Name: "test.Worker/Do", Shape: "(order string) (string)", Args: text, Result: text,
}

var text = tenon.Codec[string]{
	Append: func(b []byte, e *codec.Encoder, v *string) []byte { return codec.AppendString(b, e, *v) },
	Decode: func(d *codec.Decoder, v *string) { *v = d.String() },
}

// guard refuses the calls of a worker that do not name themselves.
func guard(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) error {
	if tenon.MetadataFrom(ctx)["name"] == "" {
		return &tenon.Error{Code: tenon.PermissionDenied, Message: "without a name", SafeToRetry: true}
	}
	return next(ctx)
}

func registerTest(srv *tenon.Server) error {
	if os.Getenv("TEST_CHATTY") != "" {
		for range 1 << 14 {
			fmt.Println(strings.Repeat("x", 63)) // 1 MiB before anybody listens
		}
	}
	tenon.Handle(srv, &do, obey)
	tenon.Handle(srv, &again, handleAgain)
	desks := tenon.NewPerConn(func(c *tenon.Conn) (desk, error) { return desk{c}, nil })
	tenon.Handle(srv, &note, func(ctx context.Context, text string) (string, error) {
		if _, err := desks.For(ctx); err != nil {
			return "", err
		}
		time.Sleep(time.Millisecond)
		return do.Call(ctx, tenon.ConnFrom(ctx), text)
	})
	return nil
}

// note is a one-way method, whose handler tells the parent.
var note = tenon.Method[string, string]{
	Name: "test.Worker/Note", Shape: "(text string) ()", Args: text, Result: text, OneWay: true,
}

// A desk is what a worker keeps for its connection.
type desk struct{ conn *tenon.Conn }

func (d desk) Close() error {
	time.Sleep(20 * time.Millisecond)
	fmt.Println("the desk is closed:", d.conn.Err())
	return nil
}

var (
	ballast [][]byte
	running atomic.Int64 // calls that block or sleep
)

// obey carries out an order in the worker.
func obey(ctx context.Context, order string) (string, error) {
	word, rest, _ := strings.Cut(order, " ")
	switch word {
	case "echo":
		return rest, nil
	case "long": // a long answer
		return strings.Repeat("l", 32<<20), nil
	case "block":
		running.Add(1)
		defer running.Add(-1)
		<-ctx.Done()
		return "", ctx.Err()
	case "sleep":
		running.Add(1)
		defer running.Add(-1)
		d, err := time.ParseDuration(rest)
		time.Sleep(d)
		return "slept", err
	case "running":
		return strconv.Itoa(int(running.Load())), nil
	case "busy": // keeps all cores busy, for ever
		for range 8 {
			go func() {
				for x := 0; ; x++ {
				}
			}()
		}
		return "", nil
	case "exit":
		code, _ := strconv.Atoi(rest)
		os.Exit(code)
	case "crash":
		for range 20 {
			go func() { select {} }()
		}
		go func() { panic("the codec is broken") }()
		select {}
	case "eat": // memory almost without end
		for range 512 {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = 1
			}
			ballast = append(ballast, b)
		}
		return "full", nil
	case "env":
		return strings.Join(os.Environ(), "\n"), nil
	case "args":
		return strings.Join(os.Args, " "), nil
	case "dir":
		return os.Getwd()
	case "nice": // of every thread
		var list []string
		threads, err := os.ReadDir("/proc/self/task")
		for _, thread := range threads {
			tid, _ := strconv.Atoi(thread.Name())
			raw, err := unix.Getpriority(unix.PRIO_PROCESS, tid)
			if n := fmt.Sprint(20 - raw); err == nil && !slices.Contains(list, n) {
				list = append(list, n)
			}
		}
		return strings.Join(list, " "), err
	case "polling":
		if budget := worker.PollingOfParent(); budget != nil {
			return budget.String(), nil
		}
		return "unset", nil
	case "comm":
		b, err := os.ReadFile("/proc/self/comm")
		return strings.TrimSpace(string(b)), err
	case "fds":
		return descriptors("self")
	case "spawn": // a grandchild in the worker's group
		cmd := exec.Command("sleep", "1000")
		err := cmd.Start()
		return strconv.Itoa(cmd.Process.Pid), err
	case "grandfds":
		cmd := exec.Command("sleep", "1000")
		if err := cmd.Start(); err != nil {
			return "", err
		}
		defer cmd.Wait()
		defer cmd.Process.Kill()
		return descriptors(strconv.Itoa(cmd.Process.Pid))
	case "ignore": // SIGTERM
		signal.Ignore(syscall.SIGTERM)
		return "", nil
	case "print":
		fmt.Print(rest)
		return "", nil
	case "complain":
		fmt.Fprint(os.Stderr, rest)
		return "", nil
	case "flood": // 10 MB on both streams
		line := []byte(strings.Repeat("y", 99) + "\n")
		for range 50_000 {
			os.Stdout.Write(line)
			os.Stderr.Write(line)
		}
		return "", nil
	case "accept": // a connection to the listener that was passed on
		running.Add(1)
		defer running.Add(-1)
		l, err := net.FileListener(worker.InheritedFiles()[0])
		if err != nil {
			return "", err
		}
		defer l.Close()
		c, err := l.Accept()
		if err != nil {
			return "", err
		}
		defer c.Close()
		_, err = c.Write([]byte("from the worker"))
		return "", err
	case "stdin":
		n, err := os.Stdin.Read(make([]byte, 1))
		return fmt.Sprint(n, " ", err), nil
	case "disarm": // so that the kernel does not act on the parent's end
		flags, err := unix.FcntlInt(3, unix.F_GETFL, 0)
		if err == nil && flags&unix.O_ASYNC == 0 {
			err = errors.New("the kernel was not told to act")
		}
		if err == nil {
			_, err = unix.FcntlInt(3, unix.F_SETFL, flags&^unix.O_ASYNC)
		}
		return "", err
	case "break": // print to a pipe that nobody reads
		r, w, err := os.Pipe()
		if err != nil {
			return "", err
		}
		r.Close()
		for _, fd := range []int{1, 2} {
			if err := unix.Dup2(int(w.Fd()), fd); err != nil {
				return "", err
			}
		}
		_, err1 := fmt.Println("does anybody hear me?")
		_, err2 := fmt.Fprintln(os.Stderr, "anybody?")
		return fmt.Sprint(err1 != nil, " ", err2 != nil), nil
	case "ask":
		return do.Call(ctx, tenon.ConnFrom(ctx), rest)
	case "ppid":
		return strconv.Itoa(os.Getppid()), nil
	}
	return "", fmt.Errorf("unknown order %q", order)
}

// descriptors lists what a process holds, without what its runtime opens for
// itself and what this test binary was itself started with by somebody careless.
func descriptors(pid string) (string, error) {
	dir := filepath.Join("/proc", pid, "fd")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var list []string
	for _, e := range entries {
		target, err := os.Readlink(filepath.Join(dir, e.Name()))
		if err != nil || strings.HasPrefix(target, "anon_inode:[event") || strings.HasPrefix(target, "/sys/fs/cgroup/") || strings.HasPrefix(target, "/usr/") || strings.HasPrefix(target, "/etc/") {
			continue // the error is that of the directory that was being read
		}
		if strings.Contains(os.Getenv("TEST_INHERITED"), "<"+target+">") && len(e.Name()) > 1 {
			continue
		}
		list = append(list, e.Name()+" "+target)
	}
	return strings.Join(list, "\n"), nil
}

// noteInherited records what this process was started with beside its standard
// streams.
func noteInherited() {
	var list strings.Builder
	for fd := range 1024 {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 && fd > 2 {
			target, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
			fmt.Fprintf(&list, "<%s>", target)
		}
	}
	os.Setenv("TEST_INHERITED", list.String())
}

// parentProgram starts workers in different states, names them and their
// children, and does nothing more.
func parentProgram() {
	ctx := context.Background()
	if os.Getenv("TEST_IN_ORDER") != "" {
		ctx, _ = signal.NotifyContext(ctx, syscall.SIGTERM)
	}
	var workers []*worker.Worker
	for _, state := range []string{"echo idle", "block", "spawn", "busy"} {
		w, err := worker.Start(ctx, worker.Self("test"))
		answer := ""
		if err == nil && os.Getenv("TEST_DISARM") != "" {
			_, err = do.Call(ctx, w, "disarm")
		}
		if err == nil && state != "block" {
			answer, err = do.Call(ctx, w, state)
		} else if err == nil {
			go do.Call(ctx, w, state)
		}
		if err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		workers = append(workers, w)
		fmt.Println(w.PID())
		if state == "spawn" {
			fmt.Println(answer)
		}
	}
	fmt.Println("ready")
	<-ctx.Done()
	for _, w := range workers {
		<-w.Done()
		if err := w.Err(); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println("in order")
	os.Exit(0)
}

// serveProgram is a separate worker program.
func serveProgram() {
	srv := tenon.NewServer()
	tenon.Handle(srv, &do, obey)
	if err := worker.Serve(context.Background(), srv); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(7)
	}
	os.Exit(0)
}

func start(t testing.TB, opts ...worker.Option) *worker.Worker {
	t.Helper()
	w, err := worker.Start(context.Background(), worker.Self("test"), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Kill)
	return w
}

func order(t testing.TB, w tenon.Caller, what string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	answer, err := do.Call(ctx, w, what)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return answer
}

// begin makes a call that takes its time, and returns when its handler runs.
func begin(t testing.TB, w tenon.Caller, what string) (result <-chan error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := do.Call(context.Background(), w, what)
		done <- err
	}()
	for order(t, w, "running") == "0" {
	}
	return done
}

// alive reports whether a process exists and is no zombie.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

// gone fails the test when a process is alive after d.
func gone(t testing.TB, pid int, d time.Duration) {
	t.Helper()
	for end := time.Now().Add(d); alive(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			t.Errorf("process %d is alive after %v: %q", pid, d, b)
			_ = syscall.Kill(pid, syscall.SIGKILL)
			return
		}
	}
}
