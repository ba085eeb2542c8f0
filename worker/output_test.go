//go:build linux

package worker_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tenon-go/tenon/worker"
)

// lines collects output; while it is held, it takes nothing.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
	size int
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.size += len(p)
	return l.text.Write(p)
}

func (l *lines) list() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Split(strings.TrimSuffix(l.text.String(), "\n"), "\n")
}

func TestOutputIsForwardedByLinesWithTheName(t *testing.T) {
	var out lines
	w := start(t, worker.Name("printer"), worker.Output(&out))
	order(t, w, "print one\ntwo\n\nthr")
	order(t, w, "print ee\nno newline")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{"printer: one", "printer: two", "printer: ", "printer: three", "printer: no newline"}
	if got := out.list(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestOutputIntoAStructuredLog(t *testing.T) {
	var out lines
	l := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	w := start(t, worker.Name("logger"), worker.Log(l))
	order(t, w, "complain loudly\n")
	w.Close()
	want := fmt.Sprintf("level=INFO msg=loudly worker=logger pid=%d stream=stderr", w.PID())
	if got := out.list(); !slices.Equal(got, []string{want}) {
		t.Errorf("%q", got)
	}
}

// Bursts with pauses between them take turns in the two batches.
func TestOutputKeepsItsOrder(t *testing.T) {
	var out lines
	w := start(t, worker.Name("w"), worker.Output(&out))
	for i := range 200 {
		order(t, w, fmt.Sprintf("print %d\n%d\n", 2*i, 2*i+1))
	}
	w.Close()
	got := out.list()
	if len(got) != 400 {
		t.Fatalf("%d lines", len(got))
	}
	for i, line := range got {
		if line != fmt.Sprintf("w: %d", i) {
			t.Fatalf("line %d is %q", i, line)
		}
	}
}

func TestOutputCutsLinesThatAreTooLong(t *testing.T) {
	var out lines
	w := start(t, worker.Name("w"), worker.Output(&out))
	order(t, w, "print "+strings.Repeat("z", 150<<10)+"\nend\n")
	w.Close()
	got := out.list()
	if len(got) != 4 || got[3] != "w: end" || !strings.HasSuffix(got[0], "[cut: the line goes on]") {
		t.Fatalf("%d lines", len(got))
	}
	if n := strings.Count(strings.Join(got, ""), "z"); n != 150<<10 {
		t.Errorf("%d bytes of the long line arrived", n)
	}
}

func TestOutputBeforeServingReport17(t *testing.T) {
	var out lines
	w := start(t, worker.Env("TEST_CHATTY=1"), worker.Output(&out))
	order(t, w, "echo connected all the same")
	w.Close()
	if n := strings.Count(strings.Join(out.list(), ""), "x"); n != 63<<14 {
		t.Errorf("%d bytes arrived", n)
	}
}

func TestOutputThatNobodyTakesReport18(t *testing.T) {
	var out lines
	out.mu.Lock() // a reader that takes nothing
	w := start(t, worker.Output(&out))
	order(t, w, "flood")
	order(t, w, "echo calls go on")
	out.mu.Unlock()
	w.Close()
	last := out.list()
	if text := strings.Join(last, "\n"); !strings.Contains(text, "bytes of output dropped") {
		t.Errorf("nothing about what was dropped")
	}
	if out.size > 4<<20 {
		t.Errorf("%d bytes were kept for a reader that took nothing", out.size)
	}
}

func TestLastLineOfAFastExitReport20(t *testing.T) {
	n := 100
	if os.Getenv("TENON_SOAK") != "" {
		n = 500
	}
	for i := range n {
		var out lines
		_, err := worker.Start(context.Background(), worker.Program("sh", "-c", fmt.Sprintf("echo last %d >&2", i)),
			worker.Name("w"), worker.Output(&out))
		want := fmt.Sprintf("last %d", i)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("%v", err)
		}
		if got := out.list(); !slices.Equal(got, []string{"w: " + want}) {
			t.Fatalf("%q", got)
		}
	}
}
