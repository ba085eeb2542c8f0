package load

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// place is where a name stands in a file.
type place struct{ line, column int }

// Idempotent reports whether the method of an interface that is declared at pos, in
// whichever package, is marked as idempotent.
func (p *Package) Idempotent(pos token.Position) bool {
	marked, ok := p.idempotent[pos.Filename]
	if !ok {
		marked = markedIn(pos.Filename)
		if p.idempotent == nil {
			p.idempotent = map[string]map[place]bool{}
		}
		p.idempotent[pos.Filename] = marked
	}
	return marked[place{pos.Line, pos.Column}]
}

// markedIn returns the methods of a file that are marked. A file that cannot be
// read, as one of a package that was compiled elsewhere, has none.
func markedIn(file string) map[place]bool {
	marked := map[place]bool{}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return marked
	}
	ast.Inspect(syntax, func(n ast.Node) bool {
		iface, ok := n.(*ast.InterfaceType)
		if !ok {
			return true
		}
		for _, m := range iface.Methods.List {
			if find(m.Doc, idempotentDirective) == nil {
				continue
			}
			for _, name := range m.Names {
				pos := fset.Position(name.Pos())
				marked[place{pos.Line, pos.Column}] = true
			}
		}
		return true
	})
	return marked
}
