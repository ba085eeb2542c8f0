package leak

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if os.Getenv("LEAK_CHILD") != "" {
		os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}
	os.Exit(Main(m))
}

// recorder is a test that fails on paper only.
type recorder struct {
	cleanups []func()
	errors   []string
}

func (r *recorder) Helper()          {}
func (r *recorder) Failed() bool     { return len(r.errors) > 0 }
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// report returns what Check says about f.
func report(f func()) string {
	patience := Patience
	Patience = 50 * time.Millisecond
	defer func() { Patience = patience }()
	var r recorder
	Check(&r)
	f()
	for _, cleanup := range r.cleanups {
		cleanup()
	}
	return strings.Join(r.errors, "\n")
}

func leaksHere(stop chan struct{}) { <-stop }

func TestAGoroutineIsFoundWithItsStack(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	if text := report(func() { go leaksHere(stop) }); !strings.Contains(text, "leaksHere") {
		t.Errorf("the report is %q", text)
	}
}

func TestADescriptorIsFoundWithWhatItRefersTo(t *testing.T) {
	if descriptors() == nil {
		t.Skip("this system does not list descriptors")
	}
	name := t.TempDir() + "/forgotten"
	var f *os.File
	text := report(func() {
		var err error
		if f, err = os.Create(name); err != nil {
			t.Fatal(err)
		}
	})
	f.Close()
	if runtime.GOOS == "linux" && !strings.Contains(text, name) || !strings.Contains(text, "descriptor") {
		t.Errorf("the report is %q", text)
	}
}

func TestAChildIsFoundWithItsCommandLine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system has no /proc")
	}
	cmd := exec.Command(os.Args[0], "forgotten")
	cmd.Env = append(os.Environ(), "LEAK_CHILD=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	text := report(func() {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	})
	in.Close()
	cmd.Wait()
	if !strings.Contains(text, "child process") || !strings.Contains(text, "forgotten") {
		t.Errorf("the report is %q", text)
	}
}

func TestWhatEndsInTimeOrWasThereBeforeIsNoLeak(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	go leaksHere(stop)
	text := report(func() {
		soon := make(chan struct{})
		go leaksHere(soon)
		time.AfterFunc(5*time.Millisecond, func() { close(soon) })
	})
	if text != "" {
		t.Errorf("the report is %q", text)
	}
}
