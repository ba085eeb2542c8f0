package main

import (
	"context"
	"iter"
	"time"
)

//go:generate go tool tenon gen

// Follower follows files that grow, as "tail -F" does.
//
//tenon:service
type Follower interface {
	// Follow streams the lines that are appended to the files, until ctx ends. A
	// file that is replaced under its name is followed on in the new one, one that
	// was cut short from its beginning, and one that is not there as soon as it is.
	Follow(ctx context.Context, files []Position) iter.Seq2[Line, error]
}

// A Position is where to begin in a file.
type Position struct {
	File   string
	Offset int64 // AtEnd, or of the first byte wanted
}

// AtEnd is the end that the file has when it is first looked at.
const AtEnd = -1

// A Line is one line of a file, or a note of what became of the file.
type Line struct {
	Text string // without its newline
	Note bool
	Next Position // after the line
}

// follower is the implementation, which the workers serve.
type follower struct{}

// pause is how often files are looked at in which nothing happens.
const pause = 100 * time.Millisecond

// Follow waits in yield as long as the host is behind with its reading. So a host
// that is slow slows this loop down; nothing piles up but in the files.
func (follower) Follow(ctx context.Context, from []Position) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		files := make([]*file, len(from))
		for i, p := range from {
			files[i] = &file{name: p.File, offset: p.Offset}
			defer files[i].close()
		}
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for {
			busy := false
			for _, f := range files {
				for _, line := range f.read() {
					busy = true
					if !yield(line, nil) {
						return // the host wants no more, or is gone
					}
				}
			}
			if busy {
				continue
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}
}
