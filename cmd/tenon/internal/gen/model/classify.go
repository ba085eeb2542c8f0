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
	result := &Type{Go: t, Validates: validates(t)}
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
		classifyInterface(t, u)
	case *types.Chan:
		t.Fault = "channels cannot travel"
		t.WayOut = "use a slice, or a stream as a parameter or result of its own: " + "iter.Seq2[" + b.nameOf(u.Elem()) + ", error]"
	case *types.Signature:
		b.classifyFunction(t, u)
	default:
		t.Fault = b.nameOf(t.Go) + " cannot travel"
	}
}

func classifyInterface(t *Type, u *types.Interface) {
	t.Fault = "interface values have no type that both sides know"
	switch {
	case movesBytes(u, "Read"):
		t.WayOut = "use a stream, iter.Seq2[[]byte, error]: tenon.ReadStream makes one of a reader, and tenon.StreamReader a reader of one"
	case movesBytes(u, "Write"):
		t.WayOut = "use a stream in the other direction, iter.Seq2[[]byte, error]: tenon.WriteStream writes one to a writer"
	default:
		t.WayOut = "use a concrete type, or a struct with one pointer per possibility"
	}
}

// classifyFunction says why a function is no value, and no port either.
func (b *builder) classifyFunction(t *Type, u *types.Signature) {
	item, isStream := itemOf(u)
	switch {
	case isStream:
		t.Fault = "a stream is not a value"
		t.WayOut = "make it a parameter or result of its own: " + "iter.Seq2[" + b.nameOf(item) + ", error]"
	case isIterator(u):
		t.Fault = "an iterator that cannot say that the connection was lost is no stream"
		t.WayOut = "use " + "iter.Seq2[T, error]"
		if yield := yieldOf(u); yield.Params().Len() > 0 {
			t.WayOut = "use " + "iter.Seq2[" + b.nameOf(yield.Params().At(0).Type()) + ", error]"
		}
	default:
		t.Fault = "a function is not a value"
		t.WayOut = "make it a parameter of its own, or declare a service for calls in the other direction"
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

// validates reports whether a variable of type t, or what it points at, has a
// method Validate() error.
func validates(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return false // whose methods cannot be called, or which does not travel
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Validate")
	fn, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	sig := fn.Signature()
	return sig.Params().Len() == 0 && sig.Results().Len() == 1 && isError(sig.Results().At(0).Type())
}

// movesBytes reports whether an interface has the method of io.Reader or io.Writer.
func movesBytes(u *types.Interface, name string) bool {
	var (
		data  = types.NewVar(token.NoPos, nil, "", types.NewSlice(types.Typ[types.Uint8]))
		n     = types.NewVar(token.NoPos, nil, "", types.Typ[types.Int])
		err   = types.NewVar(token.NoPos, nil, "", types.Universe.Lookup("error").Type())
		moves = types.NewSignatureType(nil, nil, nil, types.NewTuple(data), types.NewTuple(n, err), false)
	)
	obj, _, _ := types.LookupFieldOrMethod(u, false, nil, name)
	fn, ok := obj.(*types.Func)
	return ok && types.Identical(fn.Type(), moves)
}

func declares(named *types.Named, name string, want *types.Signature) bool {
	obj, index, _ := types.LookupFieldOrMethod(named, true, named.Obj().Pkg(), name)
	fn, ok := obj.(*types.Func)
	return ok && len(index) == 1 && types.Identical(fn.Type(), want)
}
