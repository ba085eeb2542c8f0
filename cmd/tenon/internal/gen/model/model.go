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
	Name     string
	WireName string // "imaging.Imaging/Resize"
	Pos      token.Position
	Signature
	Ports      int  // how many of its parameters and results are streams or functions
	Idempotent bool // marked as such
}

// A Signature is what a method, or a function among its parameters, takes and
// returns.
type Signature struct {
	HasContext bool     // the first parameter is a context.Context
	HasError   bool     // the last result is an error
	Params     []*Value // without the context
	Results    []*Value // without the error
	Variadic   bool
}

// OneWay reports whether nothing is answered, not even an error.
func (s *Signature) OneWay() bool { return !s.HasError && len(s.Results) == 0 }

// Plain returns those of a list that travel as values, in order.
func Plain(list []*Value) []*Value {
	return slices.DeleteFunc(slices.Clone(list), func(v *Value) bool { return v.Stream || v.Func != nil })
}

// Streams reports whether the results are streams.
func (s *Signature) Streams() bool { return len(s.Results) > 0 && s.Results[0].Stream }

// A Value is a parameter or a result: a value that travels, or a stream or
// function, which has a port.
type Value struct {
	Name   string // as declared, or made up: p0, r0
	Named  bool   // it has a name in the declaration
	Number int    // its place in the declaration, from 1
	Pos    token.Position
	Go     types.Type // as declared, without alias at the top

	Type   *Type      // of the value, or of the items of a stream; nil for a function
	Stream bool       // it is an iter.Seq2[Type, error]
	Func   *Signature // it is a function
	Port   int        // of a stream or function of a method, from 1
}

// Build describes a loaded package.
func Build(p *load.Package) *Package {
	b := &builder{fset: p.Fset, pkg: p.Types}
	result := &Package{Fset: p.Fset, Types: p.Types}
	for _, source := range p.Files {
		file := &File{Source: source}
		for _, decl := range source.Services {
			file.Services = append(file.Services, b.service(p, decl))
		}
		for _, decl := range source.Errors {
			file.Errors = append(file.Errors, b.errorOf(decl))
		}
		result.Files = append(result.Files, file)
	}
	b.markRecursion()
	return result
}

func (b *builder) service(p *load.Package, decl load.Declaration) *Service {
	s := &Service{Name: decl.Name, WireName: b.wireName(decl), Pos: decl.Pos}
	iface := b.pkg.Scope().Lookup(decl.Name).Type().Underlying().(*types.Interface)
	var here, embedded []*Method
	for fn := range iface.Methods() {
		m := b.method(s, fn)
		m.Idempotent = p.Idempotent(m.Pos)
		if fn.Pkg() == b.pkg {
			here = append(here, m)
		} else {
			embedded = append(embedded, m)
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
	m := &Method{
		Name: fn.Name(), WireName: s.WireName + "/" + fn.Name(),
		Pos: b.fset.Position(fn.Pos()), Signature: *b.signature(fn.Signature()),
	}
	for _, v := range slices.Concat(m.Params, m.Results) {
		if v.Stream || v.Func != nil {
			m.Ports++
			v.Port = m.Ports
		}
	}
	return m
}

func (b *builder) signature(sig *types.Signature) *Signature {
	s := &Signature{Variadic: sig.Variadic()}
	params, results := vars(sig.Params()), vars(sig.Results())
	if len(params) > 0 && isNamed(params[0].Type(), "context", "Context") {
		s.HasContext = true
		params = params[1:]
	}
	if n := len(results); n > 0 && isError(results[n-1].Type()) {
		s.HasError = true
		results = results[:n-1]
	}
	s.Params, s.Results = b.values(params, "p"), b.values(results, "r")
	return s
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
		values[i] = b.value(v)
		values[i].Number = i + 1
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

func (b *builder) value(v *types.Var) *Value {
	value := &Value{Name: v.Name(), Named: true, Pos: b.fset.Position(v.Pos()), Go: types.Unalias(v.Type())}
	if sig, ok := b.port(value.Go); ok {
		if item, ok := itemOf(sig); ok {
			value.Stream, value.Type = true, b.typeOf(item)
			return value
		}
		if !isIterator(sig) {
			value.Func = b.signature(sig)
			return value
		}
	}
	value.Type = b.typeOf(value.Go)
	return value
}
