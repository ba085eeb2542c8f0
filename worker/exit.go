package worker

import (
	"fmt"
	"os"
	"strings"

	"github.com/tenon-go/tenon/internal/proc"
)

// An ExitError says how and why a worker ended. Calls that were open at the
// time fail with an error that wraps it.
type ExitError struct {
	Name   string
	PID    int
	Status int       // exit status; -1 when a signal ended the worker
	Signal os.Signal // the signal that ended it, or nil
	Reason string    // why, where it is known: a limit, a failed start
	Stderr string    // the last lines of its standard error, 4 KiB at most
	Peak   int64     // its largest resident memory in bytes, 0 when not known
}

// Error names the worker, how it ended, the reason, and the most telling line of
// its standard error unless that says the same.
func (e *ExitError) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "worker %s (pid %d) ", e.Name, e.PID)
	if e.Signal != nil {
		s.WriteString("was killed by " + signalName(e.Signal))
	} else {
		fmt.Fprintf(&s, "ended with status %d", e.Status)
	}
	if e.Reason != "" {
		s.WriteString(": " + e.Reason)
	}
	if line := telling(e.Stderr); line != "" && !strings.Contains(e.Reason, line) {
		fmt.Fprintf(&s, "; it said %q", line)
	}
	return s.String()
}

// telling picks the line that a reader wants first: a panic's message, or the
// last one.
func telling(stderr string) string {
	last := ""
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if startsCrash(line) {
			return line
		}
		if line != "" {
			last = line
		}
	}
	return last
}

func newExitError(name string, pid int, s proc.Status, reason, stderr string) *ExitError {
	e := &ExitError{Name: name, PID: pid, Status: s.Code, Reason: reason, Stderr: stderr, Peak: s.Peak}
	if s.Signal != 0 {
		e.Signal = s.Signal
	}
	return e
}
