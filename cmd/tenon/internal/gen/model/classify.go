package model

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

type builder struct {
	fset  *token.FileSet
	pkg   *types.Package // of the services
	known typeutil.Map   // types.Type to *Type
	all   []*Type
}

func (b *builder) typeOf(t types.Type) *Type {
	t = types.Unalias(t)
	if known, ok := b.known.At(t).(*Type); ok {
		return known
	}
	result := &Type{Go: t}
	b.known.Set(t, result) // before its parts: they may contain it
	b.all = append(b.all, result)
	if named, ok := t.(*types.Named); ok {
		result.Named = named
		if b.classifyNamed(result, named) {
			return result
		}
	}
	b.classifyUnderlying(result, t.Underlying())
	return result
}

// classifyNamed deals with types that travel in a form of their own, whatever
// they are made of.
func (b *builder) classifyNamed(t *Type, named *types.Named) bool {
	obj := named.Obj()
	switch {
	case isNamed(named, "time", "Time"):
		t.Kind = Time
	case isNamed(named, "time", "Duration"):
		t.Kind = Duration
	case isNamed(named, "iter", "Seq"), isNamed(named, "iter", "Seq2"):
		t.Fault, t.WayOut = "streams come with a later version", "return a slice until then"
	case isNamed(named, "context", "Context"):
		t.Fault, t.WayOut = "a context is always the first parameter and never a value", "send what the other side needs of it as a value"
	case isError(named):
		t.Fault, t.WayOut = "error values travel only as the last result of a method", "use a string or a struct"
	case obj.Pkg() != nil && obj.Pkg() != b.pkg && !obj.Exported():
		t.Fault = "type " + b.nameOf(named) + " is not exported, so that generated code cannot name it"
		t.WayOut = `leave the field out with tenon:"-", or use a type of your own`
	case types.IsInterface(named):
		return false
	case has(named, "MarshalText", "UnmarshalText"):
		t.Kind = Text
	case has(named, "MarshalBinary", "UnmarshalBinary"):
		t.Kind = Binary
	default:
		return false
	}
	return true
}

func (b *builder) classifyUnderlying(t *Type, underlying types.Type) {
	switch u := underlying.(type) {
	case *types.Basic:
		b.classifyBasic(t, u)
	case *types.Slice:
		switch {
		case isByte(u.Elem()):
			t.Kind = Bytes
		case types.Identical(u.Elem(), types.Typ[types.String]):
			t.Kind = Strings
		default:
			t.Kind, t.Elem = Slice, b.typeOf(u.Elem())
		}
	case *types.Array:
		t.Kind, t.Len = Array, u.Len()
		if isByte(u.Elem()) {
			t.Kind = ByteArray
			return
		}
		t.Elem = b.typeOf(u.Elem())
	case *types.Map:
		t.Kind, t.Key, t.Elem = Map, b.typeOf(u.Key()), b.typeOf(u.Elem())
	case *types.Pointer:
		t.Kind, t.Elem = Pointer, b.typeOf(u.Elem())
	case *types.Struct:
		b.classifyStruct(t, u)
	case *types.Interface:
		t.Fault = "interface values have no type that both sides know"
		t.WayOut = "use a concrete type, or a struct with one pointer per possibility"
	case *types.Chan:
		t.Fault, t.WayOut = "channels cannot travel", "return a slice"
	case *types.Signature:
		t.Fault, t.WayOut = "functions cannot travel", "declare a service of its own for calls in the other direction"
	default:
		t.Fault = b.nameOf(t.Go) + " cannot travel"
	}
}

func (b *builder) classifyBasic(t *Type, basic *types.Basic) {
	t.Basic = basic
	switch info := basic.Info(); {
	case info&types.IsBoolean != 0:
		t.Kind = Bool
	case info&types.IsUnsigned != 0:
		t.Kind = Uint
	case info&types.IsInteger != 0:
		t.Kind = Int
	case info&types.IsFloat != 0:
		t.Kind = Float
	case info&types.IsString != 0:
		t.Kind = String
	case info&types.IsComplex != 0:
		t.Fault, t.WayOut = "complex numbers have no form that other languages know", "use a struct of two floats"
	case basic.Kind() == types.UnsafePointer:
		t.Fault, t.WayOut = "a pointer means nothing to another process", "send the value it points at"
	default:
		t.Fault = basic.Name() + " cannot travel"
	}
	if t.Named != nil && (t.Kind == Int || t.Kind == Uint || t.Kind == String) {
		t.Enum = constants(t.Named)
	}
}

// nameOf returns the name of a type as the author of the service would write it.
func (b *builder) nameOf(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == b.pkg {
			return ""
		}
		return p.Name()
	})
}

// isNamed reports whether t is the type path.name, an instance of it included.
func isNamed(t types.Type, path, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == name && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == path
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

func isByte(t types.Type) bool {
	return types.Identical(t, types.Typ[types.Uint8])
}

// has reports whether named itself, or a pointer to it, declares the two
// methods of a marshaler. Methods promoted from an embedded field do not count:
// they would drop the other fields.
func has(named *types.Named, marshal, unmarshal string) bool {
	var (
		data       = types.NewVar(token.NoPos, nil, "", types.NewSlice(types.Typ[types.Uint8]))
		err        = types.NewVar(token.NoPos, nil, "", types.Universe.Lookup("error").Type())
		marshals   = types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(data, err), false)
		unmarshals = types.NewSignatureType(nil, nil, nil, types.NewTuple(data), types.NewTuple(err), false)
	)
	return declares(named, marshal, marshals) && declares(named, unmarshal, unmarshals)
}

func declares(named *types.Named, name string, want *types.Signature) bool {
	obj, index, _ := types.LookupFieldOrMethod(named, true, named.Obj().Pkg(), name)
	fn, ok := obj.(*types.Func)
	return ok && len(index) == 1 && types.Identical(fn.Type(), want)
}
