package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program is the built program. Tests run it as a user does.
var program string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "build")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "build")
		if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
			os.Stderr.Write(out)
			return 1
		}
		return m.Run()
	}())
}

// runIn runs it in a folder with some input.
func runIn(t *testing.T, dir, input string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = 20 * time.Second
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// folder makes one with files, which are older than anything that is made.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		age(t, dir, name, -time.Hour)
	}
	return dir
}

func age(t *testing.T, dir, name string, by time.Duration) {
	t.Helper()
	then := time.Now().Add(by)
	if err := os.Chtimes(filepath.Join(dir, name), then, then); err != nil {
		t.Fatal(err)
	}
}

func wantFile(t *testing.T, dir, name, want string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil || string(got) != want {
		t.Errorf("%s is %q (%v), want %q", name, got, err, want)
	}
}

const greeting = `# The rule that comes first needs the other one.
greeting: name
	echo making it
	echo "hello $(cat name) from {{PLACE}}" > greeting

name:
	echo gopher > name
`

func TestBuildAsksAndReports(t *testing.T) {
	dir := folder(t, map[string]string{"Buildfile": greeting})

	// A setting from the input, and all files new.
	status, stdout, stderr := runIn(t, dir, "the moon\n")
	if status != 0 || stdout != "making it\n" {
		t.Fatalf("status %d\n%s\n%s", status, stdout, stderr)
	}
	for _, want := range []string{"PLACE? the moon\n", "/2] ", "2 made, 0 kept, 0 up to date\n"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}
	wantFile(t, dir, "greeting", "hello gopher from the moon\n")

	if _, _, stderr := runIn(t, dir, ""); stderr != "0 made, 0 kept, 2 up to date\n" {
		t.Errorf("again: %s", stderr)
	}

	// Changed: the old file is kept, then not.
	age(t, dir, "greeting", -time.Minute)
	_, _, stderr = runIn(t, dir, "no\n")
	if want := "overwrite greeting? [y/N] no\n0 made, 1 kept, 1 up to date\n"; stderr != want {
		t.Errorf("it printed\n%s\nwant\n%s", stderr, want)
	}
	runIn(t, dir, "y\n", "-set", "PLACE=mars")
	wantFile(t, dir, "greeting", "hello gopher from mars\n")
	age(t, dir, "greeting", -time.Minute)
	runIn(t, dir, "", "-yes", "-set", "PLACE=venus")
	wantFile(t, dir, "greeting", "hello gopher from venus\n")

	// Nobody there.
	age(t, dir, "greeting", -time.Minute)
	status, _, stderr = runIn(t, dir, "")
	if want := "overwrite greeting? [y/N] \nbuild: nobody answers: the standard input has ended; -yes and -set NAME=VALUE answer beforehand\n"; status != 1 || stderr != want {
		t.Errorf("status %d, it printed\n%s\nwant\n%s", status, stderr, want)
	}
	wantFile(t, dir, "greeting", "hello gopher from venus\n")
}

func TestFaultsAreTheBuildsOwnWords(t *testing.T) {
	for _, c := range []struct{ rules, want string }{
		{"a:\n\techo half > a; exit 3\n", "build: a: \"echo half > a; exit 3\" failed: exit status 3\n"},
		{"a: b\n\techo > a\n", "build: a needs b, which is not there and which nothing makes\n"},
		{"a: b\nb: c\nc: a\n", "build: a needs itself: a, which needs b, which needs c, which needs a\n"},
		{"a:\n\ttrue\nwhat is this\n", "build: Buildfile:3: neither \"file: needed files\" nor a command after a tab\n"},
	} {
		dir := folder(t, map[string]string{"Buildfile": c.rules})
		status, _, stderr := runIn(t, dir, "")
		if status != 1 || !strings.HasSuffix(stderr, c.want) {
			t.Errorf("%q: status %d, it printed\n%s\nwant\n%s", c.rules, status, stderr, c.want)
		}
		if _, err := os.Stat(filepath.Join(dir, "a")); err == nil {
			t.Errorf("%q: a was left half made", c.rules)
		}
	}
}

func TestInterruptEndsTheCommandToo(t *testing.T) {
	dir := folder(t, map[string]string{"Buildfile": "a:\n\techo half > a; echo busy; sleep 1000; echo whole > a\n"})
	cmd := exec.Command(program)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.WaitDelay = 20 * time.Second // for what is left and has its output open
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "busy\n" {
		t.Fatalf("%q, %v", line, err)
	}
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 130 || !strings.HasSuffix(stderr.String(), "build: stopped\n") {
		t.Errorf("status %d, it printed\n%s", status, &stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "a")); err == nil {
		t.Error("a was left half made")
	}
}

func TestInterruptEndsAQuestionToo(t *testing.T) {
	dir := folder(t, map[string]string{"Buildfile": "a:\n\techo {{PLACE}} > a\n"})
	cmd := exec.Command(program)
	cmd.Dir = dir
	stdin, err := cmd.StdinPipe() // that says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(stderr)
	if _, err := said.ReadString('?'); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Signal(os.Interrupt)
	rest, _ := io.ReadAll(said)
	cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 130 || !strings.HasSuffix(string(rest), "\nbuild: stopped\n") {
		t.Errorf("status %d, then it printed\n%s", status, rest)
	}
}

// The sample is fit for its use.
func TestSample(t *testing.T) {
	rules, err := os.ReadFile("sample/Buildfile")
	if err != nil {
		t.Fatal(err)
	}
	dir := folder(t, map[string]string{"Buildfile": string(rules)})
	status, stdout, stderr := runIn(t, dir, "", "-set", "AUTHOR=me")
	if status != 0 || stdout != "Making a page for me\n" || !strings.HasSuffix(stderr, "3 made, 0 kept, 0 up to date\n") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}
