package load

import (
	"fmt"
	"go/ast"
	"go/token"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/diag"
)

// taken are the names that a package declares at its top level.
type taken map[string]token.Position

func (t taken) addFile(fset *token.FileSet, file *ast.File) {
	add := func(name *ast.Ident) { t[name.Name] = fset.Position(name.Pos()) }
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				add(decl.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						add(name)
					}
				}
			}
		}
	}
}

// addServices adds what is generated for the services of p. Users call these
// names, so that they cannot give way as others do.
func (t taken) addServices(p *Package) (problems diag.Problems) {
	for _, f := range p.Files {
		for _, s := range f.Services {
			for _, name := range []string{ClientName(s.Name), StarterName(s.Name), s.Name + "Starter", RegisterName(s.Name), PerConnName(s.Name), CheckName(s.Name)} {
				if pos, ok := t[name]; ok {
					problems = append(problems, diag.Problem{
						Pos:    pos,
						Reason: fmt.Sprintf("%s is the name of what is generated for service %s", name, s.Name),
						WayOut: "rename one of them",
					})
				}
				t[name] = s.Pos
			}
		}
	}
	return problems
}
