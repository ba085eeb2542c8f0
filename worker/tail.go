package worker

import "strings"

const (
	tailLines = 16
	tailBytes = 4 << 10
)

// A tail keeps the end of a worker's standard error: its last lines, and before
// them the line with which a Go crash began, which the traces of many goroutines
// would push out.
type tail struct {
	crash string
	lines []string
	size  int
}

func startsCrash(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") ||
		strings.HasPrefix(line, "unexpected fault address ") ||
		strings.HasPrefix(line, "SIG") && strings.Contains(line, ": ") // SIGSEGV: segmentation violation
}

func (t *tail) add(text []byte) {
	text = text[:min(len(text), tailBytes)]
	line := strings.ToValidUTF8(string(text), "\uFFFD")
	line = line[:min(len(line), tailBytes)]
	if startsCrash(line) && t.crash == "" {
		t.crash = line[:min(len(line), tailBytes/4)]
	}
	t.lines = append(t.lines, line)
	t.size += len(line) + 1
	for len(t.lines) > tailLines || t.size > tailBytes && len(t.lines) > 1 {
		t.size -= len(t.lines[0]) + 1
		t.lines[0] = ""
		t.lines = t.lines[1:]
	}
}

func (t *tail) String() string {
	lines := t.lines
	if t.crash != "" {
		kept := false
		for _, l := range lines {
			kept = kept || startsCrash(l)
		}
		if !kept {
			lines = append([]string{t.crash, "..."}, lines...)
		}
	}
	return strings.Join(lines, "\n")
}
