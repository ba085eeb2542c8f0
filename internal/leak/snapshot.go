package leak

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A snapshot holds what exists: per kind a name that identifies the thing and a
// description for people.
type snapshot struct {
	goroutines, descriptors, children map[string]string
}

func takeSnapshot() snapshot {
	startPoller()
	return look()
}

func look() snapshot {
	return snapshot{goroutines: goroutines(), descriptors: descriptors(), children: children()}
}

// startPoller makes the runtime open the descriptors of its network poller, which
// stay open for good.
func startPoller() {
	if r, w, err := os.Pipe(); err == nil {
		r.Close()
		w.Close()
	}
}

// left describes what exists now and did not exist then. It looks again until
// that is nothing or patience is at its end.
func (before snapshot) left(patience time.Duration) string {
	deadline := time.Now().Add(patience)
	pause := time.Millisecond
	for {
		left := before.diff(look())
		if left == "" || time.Now().After(deadline) {
			return left
		}
		runtime.GC() // files that nobody holds any more close by their finalizers
		time.Sleep(pause)
		pause = min(2*pause, 100*time.Millisecond)
	}
}

func (before snapshot) diff(now snapshot) string {
	var text strings.Builder
	for _, kind := range []struct {
		name        string
		before, now map[string]string
	}{
		{"goroutine", before.goroutines, now.goroutines},
		{"descriptor", before.descriptors, now.descriptors},
		{"child process", before.children, now.children},
	} {
		for _, id := range slices.Sorted(maps.Keys(kind.now)) {
			if _, ok := kind.before[id]; !ok {
				fmt.Fprintf(&text, "- %s %s\n", kind.name, kind.now[id])
			}
		}
	}
	return text.String()
}

// goroutines returns the stacks of all goroutines except this one and those of
// the runtime and the testing package.
func goroutines() map[string]string {
	buf := make([]byte, 1<<20)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	found := map[string]string{}
	for i, stack := range strings.Split(strings.TrimSpace(string(buf)), "\n\n") {
		id, _, ok := strings.Cut(strings.TrimPrefix(stack, "goroutine "), " ")
		if i == 0 || !ok || harmless(stack) { // the first one is this
			continue
		}
		found[id] = strings.ReplaceAll(strings.TrimPrefix(stack, "goroutine "), "\n", "\n    ")
	}
	return found
}

func harmless(stack string) bool {
	for _, frame := range []string{
		"testing.(*M).",
		"testing.tRunner.func", // waits for parallel tests
		"testing.(*T).Run(",
		"testing.runFuzzing(",
		"os/signal.signal_recv(",
		"os/signal.loop(",
		"runtime.ensureSigM",
		"runtime/trace.",
		"tenon/internal/proc.starterFor", // starts all workers of the program, for life
		"runtime.ReadTrace(",
	} {
		if strings.Contains(stack, frame) {
			return true
		}
	}
	return false
}
