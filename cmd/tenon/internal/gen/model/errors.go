package model

import (
	"go/token"
	"go/types"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/load"
)

// An Error is an error that keeps its identity on the wire: a variable or
// constant, or a type.
type Error struct {
	Name     string
	WireName string // "imaging.ErrTooSmall"
	Pos      token.Position
	Go       types.Type // of the variable, or the type itself

	// Type is the type's form on the wire; nil for a variable.
	Type *Type
	// ByValue says that a value is an error, ByPointer that a pointer to it is.
	ByValue, ByPointer bool
}

var errorInterface = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

func (b *builder) errorOf(decl load.Declaration) *Error {
	obj := b.pkg.Scope().Lookup(decl.Name)
	e := &Error{Name: decl.Name, WireName: b.wireName(decl), Pos: decl.Pos, Go: obj.Type()}
	e.ByValue = types.Implements(e.Go, errorInterface)
	e.ByPointer = types.Implements(types.NewPointer(e.Go), errorInterface)
	if _, isType := obj.(*types.TypeName); isType {
		e.Type = b.typeOf(e.Go)
	}
	return e
}
