// Package diag is what the generator says when it cannot do its work: where,
// what is wrong, and a way out.
package diag

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// A Problem is one thing that the author of the code has to change.
type Problem struct {
	Pos    token.Position
	Place  string // "Imaging.Resize, parameter opts.Hook"; may be empty
	Reason string // what is wrong
	WayOut string // what to do; may be empty
}

func (p Problem) String() string {
	var b strings.Builder
	if p.Pos.Filename != "" {
		fmt.Fprintf(&b, "%s: ", p.Pos)
	}
	if p.Place != "" {
		fmt.Fprintf(&b, "%s: ", p.Place)
	}
	b.WriteString(p.Reason)
	if p.WayOut != "" {
		fmt.Fprintf(&b, "\n\t%s", p.WayOut)
	}
	return b.String()
}

// Problems is an error that reports all problems of one run.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Sorted returns ps in order of position, each problem once.
func (ps Problems) Sorted() Problems {
	sorted := slices.Clone(ps)
	slices.SortStableFunc(sorted, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.Pos.Filename, b.Pos.Filename),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
			cmp.Compare(a.Reason, b.Reason),
		)
	})
	// The same field may be reached on many ways; the first is enough.
	return slices.CompactFunc(sorted, func(a, b Problem) bool {
		return a.Pos == b.Pos && a.Reason == b.Reason
	})
}

// RelativeTo returns ps with file names relative to dir where that is shorter.
func (ps Problems) RelativeTo(dir string) Problems {
	short := slices.Clone(ps)
	for i := range short {
		name := short[i].Pos.Filename
		if rel, err := filepath.Rel(dir, name); err == nil && len(rel) < len(name) {
			short[i].Pos.Filename = rel
		}
	}
	return short
}
