package worker

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// The control socket is a socket pair of its own beside the link. Its hang-up
// tells a worker that its parent is gone, whatever the link is and whatever
// state the connection is in; it is the kernel who acts on that, so the parent
// must never write to it. While it starts, the worker says on it, in lines of
// text, how far it came.
const (
	controlFD   = 3
	firstLinkFD = 4

	// What marks a worker's environment. The worker removes both before its
	// own code runs.
	envEntry = "TENON_WORKER" // the entry of Main; absent for other programs
	envLink  = "TENON_LINK"   // the inherited descriptors, see describe
)

const (
	sayEntry  = "entry"  // Main was called for another entry: "entry thumbs"
	sayBegun  = "begun"  // Main was called for its entry
	sayFailed = "failed" // it will not serve: `failed "why"`
	sayReady  = "ready"  // it serves
)

func say(control *os.File, word, text string) {
	line := word
	if text != "" {
		line += " " + strconv.Quote(text)
	}
	_, _ = fmt.Fprintln(control, line)
}

// progress is what a starting worker said so far.
type progress struct {
	ready       bool
	failed      string
	registering bool     // Main was called for its entry
	entries     []string // of Main calls for other entries
	closed      bool     // it can say no more
}

// maxProgress bounds how much a starting program may say.
const maxProgress = 64 << 10

// listen reads until the worker is ready or failed, can say no more, or
// breakRead; what was said before that is heard.
func listen(control *os.File) (p progress) {
	lines := bufio.NewScanner(&patient{file: control})
	for total := 0; total < maxProgress && lines.Scan(); total += len(lines.Bytes()) {
		word, quoted, _ := strings.Cut(lines.Text(), " ")
		text, _ := strconv.Unquote(quoted)
		switch word {
		case sayReady:
			p.ready = true
			return p
		case sayFailed:
			p.failed = text
			return p
		case sayBegun:
			p.registering = true
		case sayEntry:
			p.entries = append(p.entries, text)
		}
	}
	p.closed = !errors.Is(lines.Err(), os.ErrDeadlineExceeded)
	return p
}
