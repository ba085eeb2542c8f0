package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/tenon-go/tenon"
)

// program is the built program. Tests run it as a user does.
var program string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "wordcount")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "wordcount")
		if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
			os.Stderr.Write(out)
			return 1
		}
		return m.Run()
	}())
}

// words are of one to four bytes a rune, so that pieces cut them everywhere.
var words = strings.Fields("the The don't 'quoted' naïve Straße ÉTÉ e\u0301te\u0301 слово 写真 𝒳𝒴 x 42")

// sample makes a text of at least n bytes. What it has of some words is known.
func sample(n int) (text []byte, count map[string]int64) {
	random := rand.New(rand.NewPCG(1, 2))
	count = make(map[string]int64)
	for len(text) < n {
		word := words[random.IntN(len(words))]
		text = append(append(text, word...), " \n—\xff"[random.IntN(2):][:1]...)
		count[strings.ToLower(strings.Trim(word, "'"))]++
	}
	return text, count
}

// The implementation, without any process. Each piece is one byte.
func TestWordsAndRunesThatAreCutAreCountedOnce(t *testing.T) {
	text, want := sample(3 * part)
	got := make(map[string]int64)
	var parts, size int64
	pieces := func(yield func([]byte, error) bool) {
		for i := range text {
			if !yield(text[i:i+1], nil) {
				return
			}
		}
	}
	for counts, err := range (counter{}).Count(t.Context(), pieces, 0) {
		if err != nil {
			t.Fatal(err)
		}
		parts++
		size += counts.Bytes
		for word, n := range counts.Words {
			got[word] += n
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || size != int64(len(text)) || parts < 3 {
		t.Errorf("%d parts of %d bytes:\n%v\nwant %d bytes:\n%v", parts, size, got, len(text), want)
	}
}

func TestTextThatBreaksOffIsAnError(t *testing.T) {
	gone := errors.New("the disk is gone")
	pieces := tenon.ReadStream(iotest.ErrReader(gone))
	for _, err := range (counter{}).Count(t.Context(), pieces, 0) {
		if !errors.Is(err, gone) {
			t.Error(err)
		}
		return
	}
	t.Error("no error")
}

func TestFilesAndTheStandardInput(t *testing.T) {
	text, count := sample(5 << 20)
	lines := bytes.Count(text, []byte("\n"))
	path := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  []string
		times int
	}{
		{[]string{"-top", "1000", "-workers", "2", path, path, path}, 3},
		{[]string{"-top", "1000"}, 1},
	} {
		cmd := exec.Command(program, c.args...)
		cmd.Stdin = iotest.HalfReader(bytes.NewReader(text)) // through a pipe
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for word, n := range count {
			if line := fmt.Sprintf("%9d  %s\n", int(n)*c.times, word); !strings.Contains(string(out), line) {
				t.Errorf("%v: no %q", c.args, line)
			}
		}
		if want := fmt.Sprintf("in %d lines and %d bytes\n", lines*c.times, len(text)*c.times); !strings.Contains(string(out), want) {
			t.Errorf("%v printed\n%s\nwant %s", c.args, out, want)
		}
	}
}

// Counting that is slow holds the reading up: of a text of 24 MiB no more is under
// way than a stream takes at most, 4 MiB, and some pieces.
func TestTheReadingWaitsForTheCounting(t *testing.T) {
	cmd := exec.Command(program, "-rest", "1ms")
	text, _ := sample(1 << 20)
	cmd.Stdin = bytes.NewReader(bytes.Repeat(text, 24))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`The reading was (\d+) KiB ahead`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("it printed\n%s", out)
	}
	if ahead, _ := strconv.Atoi(string(found[1])); ahead > 6<<10 {
		t.Errorf("it was %d KiB ahead", ahead)
	}
}

func TestFaultsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ arg, want string }{
		{filepath.Join(dir, "no"), "wordcount: open " + filepath.Join(dir, "no") + ": no such file or directory\n"},
		{dir, "wordcount: read " + dir + ": is a directory\n"},
	} {
		out, err := exec.Command(program, c.arg).CombinedOutput()
		if err == nil || string(out) != c.want {
			t.Errorf("%s: %v, it printed %q", c.arg, err, out)
		}
	}
}

// The terminal, or whatever the standard input is, may have nothing more to say.
func TestInterruptEndsIt(t *testing.T) {
	cmd := exec.Command(program)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.WaitDelay = 20 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	text, _ := sample(8 << 20)
	if _, err := stdin.Write(text); err != nil { // most of it is counted when this returns
		t.Fatal(err)
	}
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 130 || stderr.String() != "wordcount: stopped\n" {
		t.Errorf("status %d, %q", status, &stderr)
	}
}
