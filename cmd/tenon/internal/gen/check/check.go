// Package check holds the rules of contracts: the third step of the generator.
// It reports everything of a model that cannot travel, all at once.
package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/diag"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/model"
)

// Check returns what the authors of the services have to change.
func Check(p *model.Package) diag.Problems {
	c := &checker{fset: p.Fset, pkg: p.Types, seen: map[*model.Type]bool{}}
	c.predeclared()
	wireNames, errorNames := map[string]*model.Service{}, map[string]*model.Error{}
	for _, file := range p.Files {
		for _, s := range file.Services {
			if other := wireNames[s.WireName]; other != nil {
				c.report(s.Pos, s.Name, fmt.Sprintf("service %s has the wire name %s too", other.Name, s.WireName),
					"give one of them another: //tenon:service name=...")
			}
			wireNames[s.WireName] = s
			c.service(s)
		}
		for _, e := range file.Errors {
			if other := errorNames[e.WireName]; other != nil {
				c.report(e.Pos, e.Name, fmt.Sprintf("error %s has the wire name %s too", other.Name, e.WireName),
					"give one of them another: //tenon:error name=...")
			}
			errorNames[e.WireName] = e
			c.error(e)
		}
	}
	return c.problems.Sorted()
}

type checker struct {
	fset     *token.FileSet
	pkg      *types.Package // of the services
	problems diag.Problems
	seen     map[*model.Type]bool
}

func (c *checker) report(pos token.Position, place, reason, wayOut string) {
	c.problems = append(c.problems, diag.Problem{Pos: pos, Place: place, Reason: reason, WayOut: wayOut})
}

// predeclared looks for declarations that hide what generated code needs.
func (c *checker) predeclared() {
	for _, name := range types.Universe.Names() {
		obj := c.pkg.Scope().Lookup(name)
		if obj == nil || name == "any" || name == "comparable" {
			continue
		}
		c.report(c.fset.Position(obj.Pos()), "", "the package declares "+name+", which hides Go's own from generated code", "rename it")
	}
}

func (c *checker) service(s *model.Service) {
	if len(s.Methods) == 0 {
		c.report(s.Pos, s.Name, "the service has no methods", "declare one, or remove //tenon:service")
	}
	for _, m := range s.Methods {
		place := s.Name + "." + m.Name
		if !ast.IsExported(m.Name) {
			c.report(m.Pos, place, "the method is not exported, so that only this package could implement the service", "export it")
		}
		if !m.HasContext {
			c.report(m.Pos, place, "the first parameter is not a context.Context", "write "+m.Name+"(ctx context.Context, ...)")
		}
		c.method(place, m)
	}
}

func (c *checker) error(e *model.Error) {
	switch {
	case e.Type == nil && e.ByValue:
	case e.Type == nil:
		c.report(e.Pos, e.Name, "it is of type "+types.TypeString(e.Go, types.RelativeTo(c.pkg))+", which is no error", "mark variables of type error")
	case types.IsInterface(e.Go):
		c.report(e.Pos, e.Name, "the type is an interface", "mark the types that implement it")
	case !e.ByValue && !e.ByPointer:
		c.report(e.Pos, e.Name, "the type does not implement error", "give it a method Error() string")
	default:
		c.walk("", e.Name, e.Pos, e.Type)
	}
}

// walk reports what is wrong with a type and everything in it. pos is where the
// type is used: a field, a parameter or a result. Inside types of other
// packages it stays where the author of the service can change something.
func (c *checker) walk(context, path string, pos token.Position, t *model.Type) {
	if t.Kind == model.Unsupported {
		c.report(pos, context+path, t.Fault, t.WayOut)
		return
	}
	if c.seen[t] {
		return
	}
	c.seen[t] = true
	switch t.Kind {
	case model.Slice, model.Array:
		c.walk(context, path+"[]", pos, t.Elem)
	case model.Pointer:
		c.walk(context, path, pos, t.Elem)
	case model.Map:
		if t.Key.Kind != model.Unsupported && !usableAsKey(t.Key) {
			c.report(pos, context+path, "the keys of the map contain pointers, whose identity does not travel", "use the value itself as the key")
		}
		c.walk(context, path+"[key]", pos, t.Key)
		c.walk(context, path+"[]", pos, t.Elem)
	case model.Struct:
		c.fields(context, path, pos, t)
	}
}

func (c *checker) fields(context, path string, pos token.Position, t *model.Type) {
	foreign := t.Named != nil && t.Named.Obj().Pkg() != c.pkg
	for _, f := range t.Fields {
		at, wayOut := f.Pos, f.WayOut
		if foreign {
			at, wayOut = pos, "the field belongs to "+t.Named.Obj().Pkg().Name()+"."+t.Named.Obj().Name()+": use a type of your own"
		}
		if f.Fault != "" {
			c.report(at, context+path+"."+f.Name, f.Fault, wayOut)
			continue
		}
		before := len(c.problems)
		c.walk(context, path+"."+f.Name, at, f.Type)
		if foreign {
			for i := range c.problems[before:] {
				c.problems[before+i].WayOut = wayOut
			}
		}
	}
}

func usableAsKey(t *model.Type) bool {
	return !slices.ContainsFunc(t.Reachable(), func(r *model.Type) bool { return r.Kind == model.Pointer })
}
