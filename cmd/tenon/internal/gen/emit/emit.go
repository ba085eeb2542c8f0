// Package emit writes the generated file for a source file: the last step of
// the generator. It trusts that package check found nothing wrong.
//
// A file has three layers: per service what users call (NewXClient, NewXStarter,
// RegisterX, RegisterXPerConn, CheckX), per method a descriptor with the structs of
// its arguments and results and what its streams and functions need, and per type
// one function that appends a value and one that decodes it.
package emit

import (
	"bytes"
	"fmt"
	"go/format"
	"go/types"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/load"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/model"
)

// File returns the text of the generated file for f, gofmt'ed. The same model
// gives the same text.
func File(p *model.Package, f *model.File) ([]byte, error) {
	w := newWriter(p.Types, f)
	w.errors(f.Errors)
	for _, s := range f.Services {
		w.service(s)
	}
	w.codecs()

	var text bytes.Buffer
	fmt.Fprintf(&text, "%s\n\n", load.Header)
	if f.Source.Constraint != "" {
		fmt.Fprintf(&text, "//go:build %s\n\n", f.Source.Constraint)
	}
	fmt.Fprintf(&text, "package %s\n\n", p.Types.Name())
	w.imports.write(&text)
	text.WriteString("// If this does not compile, the code was generated for another version of\n" +
		"// tenon: run \"go tool tenon gen\".\n")
	fmt.Fprintf(&text, "const _ = %s.GeneratedFor2\n", w.codec)
	text.Write(w.body.Bytes())
	formatted, err := format.Source(text.Bytes())
	if err != nil {
		return nil, fmt.Errorf("generated code for %s is malformed, which is a bug of tenon: %w", f.Source.Path, err)
	}
	return formatted, nil
}

// A writer collects the text of one file.
type writer struct {
	pkg     *types.Package
	body    bytes.Buffer
	names   names
	imports *imports
	prefix  string // of the functions for types: no other file has it

	tenon, codec, context string // names under which these are imported

	functions map[*model.Type]function
	pending   []*model.Type // types whose functions are still to be written
}

func newWriter(pkg *types.Package, f *model.File) *writer {
	w := &writer{
		pkg:       pkg,
		names:     names{},
		prefix:    unexported(first(f)),
		functions: map[*model.Type]function{},
	}
	w.names.reserve(pkg.Scope().Names()...)
	w.imports = newImports(w.names)
	if len(f.Services) > 0 {
		w.context = w.imports.name("context", "context")
	}
	w.tenon = w.imports.name("github.com/tenon-go/tenon", "tenon")
	w.codec = w.imports.name("github.com/tenon-go/tenon/codec", "codec")
	return w
}

// first returns a name that no other file declares, a service's if possible.
func first(f *model.File) string {
	if len(f.Services) > 0 {
		return f.Services[0].Name
	}
	for _, e := range f.Errors {
		if e.Type != nil {
			return e.Name
		}
	}
	return f.Errors[0].Name
}

func (w *writer) f(text string, args ...any) { fmt.Fprintf(&w.body, text, args...) }
