// Package model describes services, errors and the values that travel, free of syntax:
// the second step of the generator. It accepts everything that go/types
// accepts and marks what cannot travel; whether that is an error, package check
// decides.
package model

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/load"
)

// A Package holds the services and errors of one Go package.
type Package struct {
	Fset  *token.FileSet
	Types *types.Package
	Files []*File
}

// A File holds the services and errors that one source file declares.
type File struct {
	Source   *load.File
	Services []*Service
	Errors   []*Error
}

// A Service is an interface.
type Service struct {
	Name     string
	WireName string // "imaging.Imaging"
	Pos      token.Position
	Methods  []*Method
}

// A Method is one method of a service, embedded interfaces included.
type Method struct {
	Name       string
	WireName   string // "imaging.Imaging/Resize"
	Pos        token.Position
	HasContext bool     // the first parameter is a context.Context
	HasError   bool     // the last result is an error
	Params     []*Value // without the context
	Results    []*Value // without the error
	Variadic   bool
}

// A Value is a parameter or a result.
type Value struct {
	Name  string // as declared, or made up: p0, r0
	Named bool   // it has a name in the declaration
	Type  *Type
	Pos   token.Position
}

// Build describes a loaded package.
func Build(p *load.Package) *Package {
	b := &builder{fset: p.Fset, pkg: p.Types}
	result := &Package{Fset: p.Fset, Types: p.Types}
	for _, source := range p.Files {
		file := &File{Source: source}
		for _, decl := range source.Services {
			file.Services = append(file.Services, b.service(decl))
		}
		for _, decl := range source.Errors {
			file.Errors = append(file.Errors, b.errorOf(decl))
		}
		result.Files = append(result.Files, file)
	}
	b.markRecursion()
	return result
}

func (b *builder) service(decl load.Declaration) *Service {
	s := &Service{Name: decl.Name, WireName: b.wireName(decl), Pos: decl.Pos}
	iface := b.pkg.Scope().Lookup(decl.Name).Type().Underlying().(*types.Interface)
	var here, embedded []*Method
	for fn := range iface.Methods() {
		if fn.Pkg() == b.pkg {
			here = append(here, b.method(s, fn))
		} else {
			embedded = append(embedded, b.method(s, fn))
		}
	}
	// In the order a reader sees them. The positions of other packages are not
	// worth comparing; go/types has their methods by name.
	slices.SortFunc(here, func(x, y *Method) int {
		return cmp.Or(cmp.Compare(x.Pos.Filename, y.Pos.Filename), cmp.Compare(x.Pos.Offset, y.Pos.Offset))
	})
	s.Methods = append(here, embedded...)
	return s
}

func (b *builder) wireName(decl load.Declaration) string {
	return cmp.Or(decl.WireName, b.pkg.Name()+"."+decl.Name)
}

func (b *builder) method(s *Service, fn *types.Func) *Method {
	sig := fn.Signature()
	m := &Method{
		Name: fn.Name(), WireName: s.WireName + "/" + fn.Name(),
		Pos: b.fset.Position(fn.Pos()), Variadic: sig.Variadic(),
	}
	params, results := vars(sig.Params()), vars(sig.Results())
	if len(params) > 0 && isNamed(params[0].Type(), "context", "Context") {
		m.HasContext = true
		params = params[1:]
	}
	if n := len(results); n > 0 && isError(results[n-1].Type()) {
		m.HasError = true
		results = results[:n-1]
	}
	m.Params, m.Results = b.values(params, "p"), b.values(results, "r")
	return m
}

func vars(tuple *types.Tuple) []*types.Var {
	return slices.Collect(tuple.Variables())
}

// values describes parameters or results. Those without a name get one that no
// other has.
func (b *builder) values(list []*types.Var, prefix string) []*Value {
	taken := map[string]bool{}
	for _, v := range list {
		taken[v.Name()] = true
	}
	values := make([]*Value, len(list))
	for i, v := range list {
		values[i] = &Value{Name: v.Name(), Named: true, Type: b.typeOf(v.Type()), Pos: b.fset.Position(v.Pos())}
		if v.Name() != "" && v.Name() != "_" {
			continue
		}
		name := fmt.Sprintf("%s%d", prefix, i)
		for taken[name] {
			name += "_"
		}
		taken[name] = true
		values[i].Name, values[i].Named = name, false
	}
	return values
}
