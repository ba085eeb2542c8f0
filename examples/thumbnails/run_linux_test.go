package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tenon-go/tenon/examples/thumbnails/internal/sample"
	"github.com/tenon-go/tenon/examples/thumbnails/samples"
)

// program is the built program. Tests run it as a user does.
var program string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "thumbnails")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "thumbnails")
		if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// The whole story: all sample pictures but the three bad ones have thumbnails,
// the bad ones have their reasons, the worker that the bomb killed is replaced.
func TestRunSurvivesBadPictures(t *testing.T) {
	out := t.TempDir()
	status, stdout, stderr := start(t, "-json", "-workers", "2", "-out", out).wait(t)
	if status != succeeded || stderr != "" {
		t.Fatalf("status is %d, stderr %q", status, stderr)
	}
	var s summary
	if err := json.Unmarshal([]byte(stdout), &s); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	if s.Made != len(sample.Pictures) || s.Pictures != len(sample.All()) {
		t.Errorf("%d thumbnails of %d pictures, want %d of %d", s.Made, s.Pictures, len(sample.Pictures), len(sample.All()))
	}

	reasons := map[string]string{}
	for _, f := range s.Failed {
		reasons[f.Name] = f.Reason
	}
	for name, want := range map[string][]string{
		sample.Bomb.Name:      {"worker thumbnails-", "pid ", "SIGKILL", "512 MiB"},
		sample.Truncated.Name: {"the JPEG data ends too early"},
		sample.Text.Name:      {"not a JPEG, PNG, GIF or WebP picture", "text/plain"},
	} {
		for _, part := range want {
			if !strings.Contains(reasons[name], part) {
				t.Errorf("%s failed for %q, which lacks %q", name, reasons[name], part)
			}
		}
	}
	if len(s.Failed) != 3 {
		t.Errorf("%d pictures failed, want 3: %v", len(s.Failed), s.Failed)
	}

	if s.Replaced != 1 || len(s.Workers) != 2 || len(s.Lost) != 1 || s.Lost[0].Picture != sample.Bomb.Name {
		t.Errorf("%d workers were replaced, %v lost, %v there; want 1 lost to the bomb and replaced", s.Replaced, s.Lost, s.Workers)
	}
	for _, w := range s.Workers {
		if w.PID == 0 || w.Calls == 0 || !strings.HasPrefix(w.Name, "thumbnails-") {
			t.Errorf("a worker is %+v", w)
		}
	}
	if c := s.Comparison; c == nil || c.Pictures == 0 || c.InWorkers <= 0 || c.InThisProcess <= 0 {
		t.Errorf("the comparison is %+v", c)
	}

	want := []string{"contact.html", "contact.png"}
	for _, p := range sample.Pictures {
		want = append(want, p.Name+".jpg")
	}
	wantFiles(t, out, want)
	file, err := os.Open(filepath.Join(out, "contact.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := png.Decode(file); err != nil {
		t.Errorf("contact.png: %v", err)
	}
}

func TestSummaryForPeopleNamesBadPicturesAndWorkers(t *testing.T) {
	status, stdout, stderr := start(t, "-workers", "1", "-out", t.TempDir()).wait(t)
	if status != succeeded || stderr != "" {
		t.Fatalf("status is %d, stderr %q", status, stderr)
	}
	for _, want := range []string{
		"14 thumbnails of 17 pictures", "3 pictures could not be read:", "bomb.png", "SIGKILL",
		"1 lost and 1 replaced", "thumbnails-1", "thumbnails-2", "in one process", "contact.html",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the summary lacks %q:\n%s", want, stdout)
		}
	}
}

func TestRunWithAFaultEndsWithItsReason(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "no folder")
	good := t.TempDir()
	write(t, filepath.Join(good, "leaf.png"), read(t, "leaf.png"))
	onlyText := t.TempDir()
	write(t, filepath.Join(onlyText, "a.png"), "some text")
	taken := t.TempDir() // the thumbnail's name belongs to a folder: it cannot be written
	write(t, filepath.Join(taken, "leaf.png.jpg", "x"), "")

	for _, c := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"no such folder", []string{"-out", t.TempDir(), filepath.Join(good, "no")}, failed, "there is no folder "},
		{"folder is a file", []string{"-out", t.TempDir(), file}, failed, "cannot list the folder "},
		{"no pictures", []string{"-out", t.TempDir(), t.TempDir()}, failed, "no pictures in "},
		{"nothing readable", []string{"-out", t.TempDir(), onlyText}, failed, "no picture could be read"},
		{"out is a file", []string{"-out", file, good}, failed, "cannot make the folder "},
		{"out below a file", []string{"-out", filepath.Join(file, "x"), good}, failed, "cannot make the folder "},
		{"out is the folder of the pictures", []string{"-out", good, good}, failed, "choose another folder with -out"},
		{"thumbnail cannot be written", []string{"-out", taken, good}, failed, "cannot write " + filepath.Join(taken, "leaf.png.jpg")},
		{"unknown flag", []string{"-x"}, misused, "-help lists the flags"},
		{"two folders", []string{"a", "b"}, misused, "one folder at a time"},
		{"no workers", []string{"-workers", "0"}, misused, "choose 1 to 256"},
		{"no size", []string{"-size", "0"}, misused, "choose 1 to 4096"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, _, stderr := start(t, c.args...).wait(t)
			if status != c.status || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("status is %d with %q, want %d with one line about %q", status, stderr, c.status, c.want)
			}
		})
	}
	wantFiles(t, taken, []string{"leaf.png.jpg"})
}

func TestFolderWithOtherThingsThanPictures(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "Good Leaf #1.PNG"), read(t, "leaf.png"))
	write(t, filepath.Join(dir, "empty.jpg"), "")
	write(t, filepath.Join(dir, "notes.txt"), "not looked at")
	write(t, filepath.Join(dir, "folder.png", "x"), "a folder with the name of a picture")
	if err := os.Symlink("nowhere", filepath.Join(dir, "gone.jpg")); err != nil {
		t.Skip(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.gif"), 0o600); err != nil {
		t.Skip(err)
	}
	status, stdout, stderr := start(t, "-json", "-out", out, dir).wait(t)
	if status != succeeded {
		t.Fatalf("status is %d, stderr %q", status, stderr)
	}
	var s summary
	if err := json.Unmarshal([]byte(stdout), &s); err != nil {
		t.Fatal(err)
	}
	want := []failure{
		{"empty.jpg", "the file is empty"},
		{"gone.jpg", "cannot read it: no such file or directory"},
		{"pipe.gif", "it is not a file"},
	}
	if s.Made != 1 || !slices.Equal(s.Failed, want) {
		t.Errorf("%d thumbnails, failed %v; want 1 and %v", s.Made, s.Failed, want)
	}
	wantFiles(t, out, []string{"Good Leaf #1.PNG.jpg", "contact.html", "contact.png"})
}

func TestNamesThatAreNoText(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	for _, name := range []string{"\xff.png", "写真.png", "a\nb.png"} {
		write(t, filepath.Join(dir, name), read(t, "leaf.png"))
	}
	write(t, filepath.Join(dir, "\xfe\x1b[31m.png"), "")
	status, stdout, stderr := start(t, "-json", "-out", out, dir).wait(t)
	if status != succeeded {
		t.Fatalf("status is %d, stderr %q", status, stderr)
	}
	var s summary
	if err := json.Unmarshal([]byte(stdout), &s); err != nil {
		t.Fatal(err)
	}
	want := []failure{{`\xfe\x1b[31m.png`, "the file is empty"}}
	if s.Made != 3 || !slices.Equal(s.Failed, want) {
		t.Errorf("%d thumbnails, failed %q; want 3 and %q", s.Made, s.Failed, want)
	}
	wantFiles(t, out, []string{"a\nb.png.jpg", "contact.html", "contact.png", "写真.png.jpg", "\xff.png.jpg"})
	page, err := os.ReadFile(filepath.Join(out, "contact.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`\xff.png`, "写真.png", `a\nb.png`, "./%FF.png.jpg"} {
		if !strings.Contains(string(page), part) {
			t.Errorf("the page lacks %s", part)
		}
	}
}

func TestInterruptEndsTidily(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	for i := range 300 {
		write(t, filepath.Join(dir, fmt.Sprintf("%d.jpg", i)), read(t, "planet.jpg"))
	}
	p := start(t, "-workers", "2", "-out", out, dir)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if done, _ := filepath.Glob(filepath.Join(out, "*.jpg")); len(done) > 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no thumbnail within 20 s")
		}
	}
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := p.wait(t)
	if status != interrupted || !strings.Contains(stderr, "stopped") {
		t.Errorf("status is %d with %q, want %d", status, stderr, interrupted)
	}
	if left, _ := filepath.Glob(filepath.Join(out, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestHelpIsNoFailure(t *testing.T) {
	status, _, stderr := start(t, "-help").wait(t)
	if status != succeeded || !strings.Contains(stderr, "-workers") {
		t.Errorf("status is %d with %q", status, stderr)
	}
}

// A running is one run of the program.
type running struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

func start(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	p := &running{Cmd: exec.CommandContext(ctx, program, args...)}
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	p.WaitDelay = time.Second
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// wait waits for the end and looks that no worker is left.
func (p *running) wait(t *testing.T) (status int, stdout, stderr string) {
	t.Helper()
	err := p.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Error(err) // also when something that is left still holds the pipes
	}
	if left := processes(p.Path); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	return p.ProcessState.ExitCode(), p.stdout.String(), p.stderr.String()
}

// processes lists those that run the program, where /proc tells.
func processes(path string) (pids []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && target == path {
			pids = append(pids, filepath.Base(filepath.Dir(link)))
		}
	}
	return pids
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := fs.ReadFile(samples.FS, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func wantFiles(t *testing.T, dir string, want []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the folder has %v, want %v", got, want)
	}
}
