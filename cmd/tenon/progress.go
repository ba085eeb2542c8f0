package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tenon-go/tenon"
)

// progressEvery is the pause between two lines, so that one can read them.
const progressEvery = 250 * time.Millisecond

// A progress shows how far a call is, line by line. The last line always comes.
type progress struct {
	to      io.Writer
	shown   time.Time
	pending string // not shown
}

func (p *progress) show(now tenon.Progress) {
	p.pending = words(now)
	if time.Since(p.shown) >= progressEvery {
		p.end()
	}
}

// end shows what is left to show.
func (p *progress) end() {
	if p.pending != "" {
		_, _ = io.WriteString(p.to, printable(p.pending)+"\n")
	}
	p.pending, p.shown = "", time.Now()
}

// words say what is known.
func words(now tenon.Progress) string {
	var parts []string
	amount := func(what string, done, total int64, unit string) {
		switch {
		case total > done || total == done && done > 0 && what == "": // of bytes the total is only what is known
			parts = append(parts, fmt.Sprintf("%s%d of %d%s (%d%%)", what, done, total, unit, int(100*float64(done)/float64(total))))
		case done > 0:
			parts = append(parts, fmt.Sprintf("%s%d%s", what, done, unit))
		}
	}
	amount("", now.Done, now.Total, "")
	if now.Text != "" {
		parts = append(parts, now.Text)
	}
	amount("sent ", now.Sent, now.ToSend, " bytes")
	amount("received ", now.Received, now.ToReceive, " bytes")
	return strings.Join(parts, ", ")
}
