package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// program is the built program. Tests run it as a user does.
var program string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "follow")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "follow")
		if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
			os.Stderr.Write(out)
			return 1
		}
		return m.Run()
	}())
}

// A running is the program, on files of its directory.
type running struct {
	*testing.T
	dir    string
	cmd    *exec.Cmd
	lines  chan string // that it printed, with those of stderr
	output []string    // what was taken of them
}

func start(t *testing.T, args ...string) *running {
	t.Helper()
	p := &running{T: t, dir: t.TempDir(), lines: make(chan string, 1000)}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd = exec.Command(program, args...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = p.dir, w, w
	p.write("a.log", "before\n")
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() { p.cmd.Process.Kill() })
	go func() {
		defer close(p.lines)
		defer r.Close()
		for s := bufio.NewScanner(r); s.Scan(); {
			p.lines <- s.Text()
		}
	}()
	return p
}

// write appends to a file.
func (p *running) write(name, text string) {
	p.Helper()
	f, err := os.OpenFile(filepath.Join(p.dir, name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		p.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		p.Fatal(err)
	}
}

// wants waits for lines, in any order.
func (p *running) wants(lines ...string) {
	p.Helper()
	timeout := time.After(20 * time.Second)
	for len(lines) > 0 {
		select {
		case line, ok := <-p.lines:
			p.output = append(p.output, line)
			i := slices.IndexFunc(lines, func(want string) bool { return regexp.MustCompile("^" + want + "$").MatchString(line) })
			if !ok || i < 0 {
				p.Fatalf("it printed %q, still wanted %q", line, lines)
			}
			lines = slices.Delete(lines, i, i+1)
		case <-timeout:
			p.Fatalf("no %q after\n%s", lines, strings.Join(p.output, "\n"))
		}
	}
}

// interrupt ends the program as Ctrl-C does.
func (p *running) interrupt() {
	p.Helper()
	p.cmd.Process.Signal(os.Interrupt)
	for line := range p.lines { // until no process has its output open any more
		p.Errorf("then it printed %q", line)
	}
	if err := p.cmd.Wait(); err != nil {
		p.Error(err)
	}
}

func TestFilesAreFollowedWhateverBecomesOfThem(t *testing.T) {
	p := start(t, "-all", "a.log", "b.log", "c.log")
	p.wants("a.log: before",
		"follow: b.log cannot be read: no such file or directory; waiting for it",
		"follow: c.log cannot be read: no such file or directory; waiting for it")

	p.write("a.log", "one\ntw")
	p.wants("a.log: one")
	p.write("a.log", "o\n")
	p.wants("a.log: two")
	p.write("b.log", "late\n\nlater\n")
	p.wants("follow: b.log is there", "b.log: late", "b.log: ", "b.log: later")

	// Replaced: what was written to the old file last is not lost.
	p.write("a.log", "the last\nand without a newline")
	p.write("new.log", "three\n")
	if err := os.Rename(filepath.Join(p.dir, "new.log"), filepath.Join(p.dir, "a.log")); err != nil {
		t.Fatal(err)
	}
	p.wants("a.log: the last", "a.log: and without a newline", "follow: a.log was replaced; on in the new one", "a.log: three")

	// Moved away, and there again later.
	if err := os.Rename(filepath.Join(p.dir, "a.log"), filepath.Join(p.dir, "a.log.1")); err != nil {
		t.Fatal(err)
	}
	p.wants("follow: a.log cannot be read: no such file or directory; waiting for it")
	p.write("a.log", "four\n")
	p.wants("follow: a.log is there", "a.log: four")

	if err := os.Truncate(filepath.Join(p.dir, "b.log"), 0); err != nil {
		t.Fatal(err)
	}
	p.wants("follow: b.log was cut short; from its beginning")
	p.write("b.log", "anew\n")
	p.wants("b.log: anew")
	p.interrupt()
}

func TestWorkerThatIsLostIsReplacedAndNoLineIsLost(t *testing.T) {
	p := start(t, "-all", "-workers", "1", "a.log")
	p.wants("before")
	for _, pid := range children(t, p.cmd.Process.Pid) {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	p.write("a.log", "meanwhile\n")
	p.wants(`follow: worker follow-1 \(pid \d+\) was killed by SIGKILL.*; another one goes on`, "meanwhile")
	p.interrupt()
}

func TestReaderThatHasEnoughEndsIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	if err := os.WriteFile(path, []byte(strings.Repeat("line\n", 100_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `"$0" -all "$1" | head -2`, program, path)
	cmd.WaitDelay = 20 * time.Second // for what is left and has its output open
	if out, err := cmd.Output(); err != nil || string(out) != "line\nline\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// children are the processes that a process has started.
func children(t *testing.T, pid int) (pids []int) {
	t.Helper()
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for word := range strings.FieldsSeq(string(text)) {
			child, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, child)
		}
	}
	if len(pids) == 0 {
		t.Fatal("it has no workers")
	}
	return pids
}
