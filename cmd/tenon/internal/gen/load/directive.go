package load

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/diag"
)

// A Declaration is an interface whose doc comment says //tenon:service.
type Declaration struct {
	Name     string // of the interface
	WireName string // from the directive's name=, or empty
	Pos      token.Position
}

const (
	directivePrefix  = "//tenon:"
	serviceDirective = "//tenon:service"
)

var wireName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`)

// declarations finds the services of one file in source order. A directive that
// nothing obeys is a problem: silence would look like success.
func declarations(fset *token.FileSet, file *ast.File) ([]Declaration, diag.Problems) {
	var (
		found    []Declaration
		problems diag.Problems
		obeyed   = map[*ast.Comment]bool{}
	)
	complain := func(pos token.Pos, reason, wayOut string) {
		problems = append(problems, diag.Problem{Pos: fset.Position(pos), Reason: reason, WayOut: wayOut})
	}
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.TYPE {
			continue
		}
		for _, spec := range group.Specs {
			spec := spec.(*ast.TypeSpec)
			doc := spec.Doc
			if doc == nil && !group.Lparen.IsValid() {
				doc = group.Doc
			}
			comment := directive(doc)
			if comment == nil {
				continue
			}
			obeyed[comment] = true
			if _, ok := spec.Type.(*ast.InterfaceType); !ok {
				complain(comment.Pos(), serviceDirective+" stands at "+spec.Name.Name+", which is not an interface",
					"put it into the doc comment of an interface declaration")
				continue
			}
			if spec.TypeParams != nil {
				complain(spec.TypeParams.Pos(), "service "+spec.Name.Name+" has type parameters",
					"a peer must know all types: declare an interface for each set of types")
				continue
			}
			d := Declaration{Name: spec.Name.Name, Pos: fset.Position(spec.Name.Pos())}
			for _, option := range strings.Fields(comment.Text[len(serviceDirective):]) {
				name, ok := strings.CutPrefix(option, "name=")
				switch {
				case !ok:
					complain(comment.Pos(), "unknown option "+option+" of "+serviceDirective, "the only option is name=package.Service")
				case !wireName.MatchString(name):
					complain(comment.Pos(), "name="+name+" is not a name of a service", "write it like package.Service")
				default:
					d.WireName = name
				}
			}
			found = append(found, d)
		}
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			switch {
			case !strings.HasPrefix(comment.Text, directivePrefix) || obeyed[comment]:
			case isDirective(comment.Text):
				complain(comment.Pos(), serviceDirective+" stands at no declaration", "put it into the doc comment of an interface declaration")
			default:
				complain(comment.Pos(), "unknown directive "+strings.Fields(comment.Text)[0], "the generator knows "+serviceDirective)
			}
		}
	}
	return found, problems
}

func directive(doc *ast.CommentGroup) *ast.Comment {
	if doc == nil {
		return nil
	}
	for _, comment := range doc.List {
		if isDirective(comment.Text) {
			return comment
		}
	}
	return nil
}

func isDirective(text string) bool {
	return text == serviceDirective || strings.HasPrefix(text, serviceDirective+" ")
}
