package model

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// A Kind says in which form values of a type travel.
type Kind int

const (
	Unsupported Kind = iota
	Bool
	Int  // any signed integer
	Uint // any unsigned integer
	Float
	String
	Bytes     // []byte
	ByteArray // [n]byte
	Strings   // []string
	Time
	Duration
	Text   // encoding.TextMarshaler and TextUnmarshaler
	Binary // encoding.BinaryMarshaler and BinaryUnmarshaler
	Slice
	Array
	Map
	Pointer
	Struct
)

// A Type is a Go type with all that the generator wants to know. Identical Go
// types are the same *Type, so that a recursive type is a cycle.
type Type struct {
	Kind Kind
	Go   types.Type // without alias at the top

	// Named is the declared type, nil for types without a name.
	Named *types.Named
	// Basic is the underlying basic type of numbers, strings and bools.
	Basic *types.Basic

	Elem   *Type // of Slice, Array, Map, Pointer
	Key    *Type // of Map
	Len    int64 // of Array, ByteArray
	Fields []*Field
	Enum   []Constant // exported constants of a named Int, Uint or String

	// Recursive types contain themselves and need a depth limit.
	Recursive bool

	// Validates says that a variable of the type has a method Validate() error.
	Validates bool

	// Fault says why an Unsupported type cannot travel, and WayOut what to do.
	Fault, WayOut string
}

// A Field is a field of a struct that travels.
type Field struct {
	Name     string
	Type     *Type
	Pos      token.Position
	Was      string // former name, from `tenon:"was=Old"`
	Optional bool   // `tenon:",optional"`

	// Fault says why the field cannot travel although its type could.
	Fault, WayOut string
}

// A Constant is a named value of an enumeration.
type Constant struct {
	Name  string
	Value constant.Value
}

// Nillable reports whether a value of t may travel as nil, so that a pointer to
// it needs a form of its own.
func (t *Type) Nillable() bool {
	switch t.Kind {
	case Bytes, Strings, Slice, Map, Pointer:
		return true
	}
	return false
}

// Children calls yield for every type that values of t contain directly.
func (t *Type) Children(yield func(*Type) bool) {
	if t.Key != nil && !yield(t.Key) {
		return
	}
	if t.Elem != nil && !yield(t.Elem) {
		return
	}
	for _, f := range t.Fields {
		if !yield(f.Type) {
			return
		}
	}
}

// Reachable returns t and every type that values of t can contain.
func (t *Type) Reachable() []*Type {
	var all []*Type
	seen := map[*Type]bool{}
	var visit func(*Type)
	visit = func(t *Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		all = append(all, t)
		t.Children(func(c *Type) bool { visit(c); return true })
	}
	visit(t)
	return all
}

// HasUserCode reports whether encoding a value of t runs methods of the user.
func (t *Type) HasUserCode() bool {
	return slices.ContainsFunc(t.Reachable(), func(r *Type) bool { return r.Kind == Text || r.Kind == Binary })
}

// markRecursion finds the types that contain themselves. Every cycle passes
// through a declared type, so only those are marked.
func (b *builder) markRecursion() {
	for _, t := range b.all {
		if t.Named == nil {
			continue
		}
		t.Children(func(c *Type) bool {
			t.Recursive = slices.Contains(c.Reachable(), t)
			return !t.Recursive
		})
	}
}

// constants returns the exported constants of a named type, by value.
func constants(named *types.Named) []Constant {
	if named.Obj().Pkg() == nil {
		return nil
	}
	var list []Constant
	scope := named.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		if c, ok := scope.Lookup(name).(*types.Const); ok && c.Exported() && types.Identical(c.Type(), named) {
			list = append(list, Constant{Name: name, Value: c.Val()})
		}
	}
	slices.SortStableFunc(list, func(x, y Constant) int {
		switch {
		case constant.Compare(x.Value, token.LSS, y.Value):
			return -1
		case constant.Compare(y.Value, token.LSS, x.Value):
			return 1
		}
		return cmp.Compare(x.Name, y.Name)
	})
	return list
}
