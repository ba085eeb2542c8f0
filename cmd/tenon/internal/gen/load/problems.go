package load

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/diag"
)

// faultsOf returns the packages that do not type-check. known are those that are
// wrong already: what is wrong with their importers follows from it. What the
// misdirected ones do not declare may be what would have been generated.
func faultsOf(checked []*packages.Package, known, misdirected faults) faults {
	found := faults{}
	for _, c := range checked {
		own, imported, follows := diag.Problems(nil), diag.Problems(nil), false
		packages.Visit([]*packages.Package{c}, nil, func(p *packages.Package) {
			mine := slices.Contains(checked, p)
			wrong := problemsOf(p, mine)
			if dependsOn(p, misdirected) {
				wrong = slices.DeleteFunc(wrong, func(p diag.Problem) bool { return lacksOutput.MatchString(p.Reason) })
			}
			_, isKnown := known[p.PkgPath]
			switch {
			case p == c:
				own = wrong
			case isKnown || mine && len(wrong) > 0:
				follows = true // it is reported by itself
			default:
				imported = append(imported, wrong...)
			}
		})
		switch {
		case len(imported) > 0:
			found[c.PkgPath] = imported
		case follows:
			found[c.PkgPath] = nil
		case len(own) > 0:
			found[c.PkgPath] = own
		}
	}
	return found
}

// lacksOutput matches complaints about names that outputs declare.
var lacksOutput = regexp.MustCompile(`^undefined: (\w+\.)?([nN]ew\w+Client|([nN]ew)?\w+Starter|[rR]egister\w+|[cC]heck\w+)$`)

// dependsOn reports whether p, or a package that it imports, is one of those.
func dependsOn(p *packages.Package, those faults) bool {
	found := false
	packages.Visit([]*packages.Package{p}, func(p *packages.Package) bool {
		_, is := those[p.PkgPath]
		found = found || is
		return !found
	}, nil)
	return found
}

// problemsOf returns what is wrong with a package, which we write for or which is
// only imported.
func problemsOf(p *packages.Package, own bool) (problems diag.Problems) {
	parsed := slices.ContainsFunc(p.Errors, func(e packages.Error) bool { return e.Kind != packages.ListError })
	for _, e := range p.Errors {
		switch fromCompiler := strings.HasPrefix(e.Msg, "# "); {
		case fromCompiler && (own || parsed):
			// The compiler says the same once more, or means the bodies of functions.
		case own && strings.HasSuffix(e.Msg, "imported and not used"):
			// The bodies of functions are gone.
		default:
			problems = append(problems, problemOf(e))
		}
	}
	return problems
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
