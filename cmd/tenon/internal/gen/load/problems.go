package load

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/diag"
)

// problemsOf returns what is wrong with the packages and those they import.
func problemsOf(checked []*packages.Package) diag.Problems {
	var own, imported diag.Problems
	packages.Visit(checked, nil, func(p *packages.Package) {
		parsed := slices.ContainsFunc(p.Errors, func(e packages.Error) bool { return e.Kind != packages.ListError })
		for _, e := range p.Errors {
			if parsed && strings.HasPrefix(e.Msg, "# ") {
				continue // the compiler said the same once more
			}
			if isOwn := slices.Contains(checked, p); isOwn && (strings.HasPrefix(e.Msg, "# ") || strings.HasSuffix(e.Msg, "imported and not used")) {
				continue // of the bodies of functions, which do not concern us
			} else if isOwn {
				own = append(own, problemOf(e))
			} else {
				imported = append(imported, problemOf(e))
			}
		}
	})
	if len(imported) > 0 {
		return imported // what is wrong with importers follows from it
	}
	return own
}

func problemOf(e packages.Error) diag.Problem {
	p := diag.Problem{Pos: position(e.Pos), Reason: strings.TrimSpace(e.Msg)}
	if strings.Contains(e.Msg, "github.com/tenon-go/tenon") && strings.Contains(e.Msg, "import") {
		p.WayOut = "generated code needs the library: go get github.com/tenon-go/tenon"
	}
	return p
}

// position parses "file:line:col", "file:line", "-" or "".
func position(text string) token.Position {
	var pos token.Position
	numbers := []*int{&pos.Column, &pos.Line}
	var got []int
	for range numbers {
		i := strings.LastIndexByte(text, ':')
		if i < 0 {
			break
		}
		var n int
		if _, err := fmt.Sscanf(text[i+1:], "%d", &n); err != nil {
			break
		}
		got = append(got, n)
		text = text[:i]
	}
	switch len(got) {
	case 1:
		pos.Line = got[0]
	case 2:
		pos.Line, pos.Column = got[1], got[0]
	}
	if text != "-" {
		pos.Filename = text
	}
	return pos
}

func explain(err error) error {
	return fmt.Errorf("reading packages with the go command: %w", err)
}

// syntaxProblems returns what go/parser found. A file that cannot be read may
// have any service, so nothing can be generated for its package.
func syntaxProblems(err error) diag.Problems {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return diag.Problems{{Reason: err.Error()}}
	}
	var problems diag.Problems
	for _, e := range list {
		problems = append(problems, diag.Problem{Pos: e.Pos, Reason: e.Msg})
	}
	return problems
}
