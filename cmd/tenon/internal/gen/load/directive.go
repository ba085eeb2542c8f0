package load

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
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
	directivePrefix     = "//tenon:"
	serviceDirective    = directivePrefix + "service"
	errorDirective      = directivePrefix + "error"
	idempotentDirective = directivePrefix + "idempotent"
)

var known = []string{serviceDirective, errorDirective, idempotentDirective}

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
	iface, isInterface := spec.Type.(*ast.InterfaceType)
	if isInterface {
		s.methods(iface)
	}
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

// methods looks at the methods of an interface, which a service may be or embed.
func (s *directives) methods(iface *ast.InterfaceType) {
	for _, m := range iface.Methods.List {
		c := s.directive(m.Doc, idempotentDirective)
		switch {
		case c == nil:
		case len(m.Names) == 0:
			s.complain(c.Pos(), idempotentDirective+" stands at an embedded type", "put it into the doc comments of its methods")
		case c.Text != idempotentDirective:
			s.complain(c.Pos(), idempotentDirective+" has no options", "write it alone on its line")
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
	c := find(doc, directive)
	if c != nil {
		s.obeyed[c] = true
	}
	return c
}

func find(doc *ast.CommentGroup, directive string) *ast.Comment {
	if doc == nil {
		return nil
	}
	for _, c := range doc.List {
		if is(c, directive) {
			return c
		}
	}
	return nil
}

func (s *directives) leftOver(c *ast.Comment) {
	switch {
	case s.obeyed[c]:
	case is(c, serviceDirective):
		s.complain(c.Pos(), serviceDirective+" stands at no declaration of an interface", "put it into the doc comment of one")
	case is(c, errorDirective):
		s.complain(c.Pos(), errorDirective+" stands at no declaration of an error", "put it into the doc comment of a variable or type of the package")
	case is(c, idempotentDirective):
		s.complain(c.Pos(), idempotentDirective+" stands at no method of an interface", "put it into the doc comment of one")
	case strings.HasPrefix(c.Text, directivePrefix):
		wrote, rest, _ := strings.Cut(c.Text, " ")
		if wrote == directivePrefix && rest != "" {
			wrote += " " + rest
		}
		wayOut := "the generator knows " + strings.Join(known[:len(known)-1], ", ") + " and " + known[len(known)-1]
		if directive := meant(wrote); directive != "" {
			wayOut = "write " + directive
		}
		s.complain(c.Pos(), "unknown directive "+wrote, wayOut)
	default:
		near := nearDirective.FindStringSubmatch(c.Text)
		if near == nil {
			return
		}
		if directive := meant(directivePrefix + near[1]); directive != "" {
			s.complain(c.Pos(), strings.TrimSpace(c.Text)+" is an ordinary comment, not a directive", "write "+directive)
		}
	}
}

// nearDirective matches a line that is a directive but for spaces or capital
// letters, and has the word after the colon.
var nearDirective = regexp.MustCompile(`^//\s*[Tt][Ee][Nn][Oo][Nn]:\s*([A-Za-z]+)(\s+\w+=\S*)*\s*$`)

// meant returns the directive that was probably meant, or "".
func meant(wrote string) string {
	wrote = strings.ToLower(strings.ReplaceAll(wrote, " ", ""))
	best := slices.MinFunc(known, func(a, b string) int { return distance(wrote, a) - distance(wrote, b) })
	if distance(wrote, best) > 3 {
		return ""
	}
	return best
}

// distance is how many letters have to be changed, added or removed to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

func is(c *ast.Comment, directive string) bool {
	return c.Text == directive || strings.HasPrefix(c.Text, directive+" ")
}
