package load

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/diag"
)

// A Declaration is what a directive in a doc comment marks: an interface, or an
// error.
type Declaration struct {
	Name     string
	WireName string // from the directive's name=, or empty
	Pos      token.Position
}

const (
	directivePrefix  = "//tenon:"
	serviceDirective = directivePrefix + "service"
	errorDirective   = directivePrefix + "error"
)

var wireName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`)

// directives are those of one file, in source order. One that nothing
// obeys is a problem: silence would look like success.
type directives struct {
	fset     *token.FileSet
	obeyed   map[*ast.Comment]bool
	services []Declaration
	errors   []Declaration
	problems diag.Problems
}

func directivesOf(fset *token.FileSet, file *ast.File) *directives {
	s := &directives{fset: fset, obeyed: map[*ast.Comment]bool{}}
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				s.typeSpec(group, spec)
			case *ast.ValueSpec:
				s.valueSpec(group, spec)
			}
		}
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			s.leftOver(comment)
		}
	}
	return s
}

func (s *directives) complain(pos token.Pos, reason, wayOut string) {
	s.problems = append(s.problems, diag.Problem{Pos: s.fset.Position(pos), Reason: reason, WayOut: wayOut})
}

func (s *directives) typeSpec(group *ast.GenDecl, spec *ast.TypeSpec) {
	doc := spec.Doc
	if doc == nil && !group.Lparen.IsValid() {
		doc = group.Doc
	}
	_, isInterface := spec.Type.(*ast.InterfaceType)
	if c := s.directive(doc, serviceDirective); c != nil {
		switch {
		case !isInterface:
			s.complain(c.Pos(), serviceDirective+" stands at "+spec.Name.Name+", which is not an interface",
				"put it into the doc comment of an interface declaration")
		case spec.TypeParams != nil:
			s.complain(spec.TypeParams.Pos(), "service "+spec.Name.Name+" has type parameters",
				"a peer must know all types: declare an interface for each set of types")
		default:
			s.services = append(s.services, s.declare(c, serviceDirective, spec.Name))
		}
	}
	if c := s.directive(doc, errorDirective); c != nil {
		switch {
		case isInterface:
			s.complain(c.Pos(), errorDirective+" stands at "+spec.Name.Name+", which is an interface",
				"mark the types that implement it")
		case spec.TypeParams != nil:
			s.complain(spec.TypeParams.Pos(), "error "+spec.Name.Name+" has type parameters",
				"a peer must know all types: declare a type for each set of types")
		default:
			s.errors = append(s.errors, s.declare(c, errorDirective, spec.Name))
		}
	}
}

// valueSpec looks at variables and constants. The comment of a block speaks for
// everything in it.
func (s *directives) valueSpec(group *ast.GenDecl, spec *ast.ValueSpec) {
	for _, doc := range []*ast.CommentGroup{group.Doc, spec.Doc} {
		c := s.directive(doc, errorDirective)
		if c == nil {
			continue
		}
		for _, name := range spec.Names {
			d := s.declare(c, errorDirective, name)
			switch {
			case name.Name == "_":
				s.complain(name.Pos(), errorDirective+" stands at a variable without a name", "give it one")
			case d.WireName != "" && (len(spec.Names) > 1 || doc == group.Doc && len(group.Specs) > 1):
				s.complain(c.Pos(), "name="+d.WireName+" stands at several errors", "give each a comment of its own")
				return
			default:
				s.errors = append(s.errors, d)
			}
		}
	}
}

func (s *directives) declare(c *ast.Comment, directive string, name *ast.Ident) Declaration {
	d := Declaration{Name: name.Name, Pos: s.fset.Position(name.Pos())}
	for _, option := range strings.Fields(c.Text[len(directive):]) {
		wire, ok := strings.CutPrefix(option, "name=")
		switch {
		case !ok:
			s.complain(c.Pos(), "unknown option "+option+" of "+directive, "the only option is name=package.Name")
		case !wireName.MatchString(wire):
			s.complain(c.Pos(), "name="+wire+" is not a name on the wire", "write it like package.Name")
		default:
			d.WireName = wire
		}
	}
	return d
}

// directive finds a directive in a doc comment, which is obeyed then.
func (s *directives) directive(doc *ast.CommentGroup, directive string) *ast.Comment {
	if doc == nil {
		return nil
	}
	for _, c := range doc.List {
		if is(c, directive) {
			s.obeyed[c] = true
			return c
		}
	}
	return nil
}

func (s *directives) leftOver(c *ast.Comment) {
	switch {
	case !strings.HasPrefix(c.Text, directivePrefix) || s.obeyed[c]:
	case is(c, serviceDirective):
		s.complain(c.Pos(), serviceDirective+" stands at no declaration of an interface", "put it into the doc comment of one")
	case is(c, errorDirective):
		s.complain(c.Pos(), errorDirective+" stands at no declaration of an error", "put it into the doc comment of a variable or type of the package")
	default:
		s.complain(c.Pos(), "unknown directive "+strings.Fields(c.Text)[0], "the generator knows "+serviceDirective+" and "+errorDirective)
	}
}

func is(c *ast.Comment, directive string) bool {
	return c.Text == directive || strings.HasPrefix(c.Text, directive+" ")
}
