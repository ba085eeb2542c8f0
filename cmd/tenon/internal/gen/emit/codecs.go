package emit

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/model"
)

// A function names the functions that append and decode values of one type, and
// the one that checks them, if there is one.
type function struct{ append, decode, validate string }

// A field is a field of a struct as the functions see it.
type field struct {
	access string // v.Name
	label  string // what errors call it
	typ    *model.Type
}

// functionOf returns the functions of a type that needs some, and sees to it
// that they are written.
func (w *writer) functionOf(t *model.Type) function {
	if f, ok := w.functions[t]; ok {
		return f
	}
	f := w.pair(w.identifier(t))
	w.functions[t] = f
	w.pending = append(w.pending, t)
	return f
}

func (w *writer) messageFunctions(name string) function {
	return w.pair(w.inFile(name))
}

// inFile returns the part of a name that tells it from others of the file.
func (w *writer) inFile(name string) string {
	return exported(strings.TrimPrefix(name, w.prefix))
}

func (w *writer) pair(base string) function {
	return function{append: w.names.unique(w.prefix + "Append" + base), decode: w.names.unique(w.prefix + "Decode" + base)}
}

// codecs writes the functions of all types that were asked for.
func (w *writer) codecs() {
	for len(w.pending) > 0 {
		t := w.pending[0]
		w.pending = w.pending[1:]
		f := w.functions[t]
		switch t.Kind {
		case model.Struct:
			w.structType(t, f)
		case model.Slice:
			w.sliceFunctions(t, f)
		case model.Array:
			w.arrayFunctions(t, f)
		case model.Map:
			w.mapFunctions(t, f)
		case model.Pointer:
			w.pointerFunctions(t, f)
		default:
			w.plainFunctions(t, f)
		}
	}
}

func (w *writer) beginAppend(f function, typ string, recursive bool) {
	w.f("\nfunc %s(b []byte, e *%s.Encoder, v *%s) []byte {\n", f.append, w.codec, typ)
	if recursive {
		w.f("if !e.Enter(b) {\nreturn b\n}\ndefer e.Leave()\n")
	}
}

func (w *writer) beginDecode(f function, typ string, recursive bool) {
	w.f("\nfunc %s(d *%s.Decoder, v *%s) {\n", f.decode, w.codec, typ)
	if recursive {
		w.f("if !d.Enter() {\nreturn\n}\ndefer d.Leave()\n")
	}
}

func (w *writer) structType(t *model.Type, f function) {
	fields := make([]field, len(t.Fields))
	for i, x := range t.Fields {
		fields[i] = field{access: "v." + x.Name, label: x.Name, typ: x.Type}
	}
	w.structFunctions(f, w.typeName(t.Go), fields, t.Recursive)
}

// structFunctions writes a struct as an array of its fields. A shorter array
// leaves the last fields zero, surplus elements are skipped: fields may be
// appended over time.
func (w *writer) structFunctions(f function, typ string, fields []field, recursive bool) {
	w.beginAppend(f, typ, recursive)
	w.f("b = %s.AppendArray(b, e, %d)\n", w.codec, len(fields))
	for _, x := range fields {
		w.appendValue(x.typ, x.access)
	}
	w.f("return b\n}\n")

	w.beginDecode(f, typ, recursive)
	if len(fields) == 0 {
		w.f("d.Skip()\n}\n")
		return
	}
	labels := make([]string, len(fields))
	w.f("for i := range d.Array() {\nswitch i {\n")
	for i, x := range fields {
		w.f("case %d:\n", i)
		w.decodeValue(x.typ, x.access)
		labels[i] = strconv.Quote(x.label)
	}
	w.f("default:\nd.Skip()\n}\n")
	w.f("if d.Err() != nil {\nd.InField(i, %s)\nreturn\n}\n", strings.Join(labels, ", "))
	w.f("}\n}\n")
}

func (w *writer) sliceFunctions(t *model.Type, f function) {
	typ := w.typeName(t.Go)
	w.beginAppend(f, typ, t.Recursive)
	w.f("if *v == nil {\nreturn %s.AppendNil(b)\n}\n", w.codec)
	w.f("b = %s.AppendArray(b, e, len(*v))\n", w.codec)
	w.f("for i := range *v {\n")
	w.appendValue(t.Elem, "(*v)[i]")
	w.f("}\nreturn b\n}\n")

	w.beginDecode(f, typ, t.Recursive)
	w.f("if d.Nil() {\nreturn\n}\n")
	w.f("*v = %s.MakeSlice[%s](d)\n", w.codec, w.typeName(t.Elem.Go))
	w.f("for i := range *v {\n")
	w.decodeValue(t.Elem, "(*v)[i]")
	w.f("if d.Err() != nil {\nd.InElement(i)\nreturn\n}\n}\n}\n")
}

func (w *writer) arrayFunctions(t *model.Type, f function) {
	typ := w.typeName(t.Go)
	w.beginAppend(f, typ, t.Recursive)
	w.f("b = %s.AppendArray(b, e, %d)\n", w.codec, t.Len)
	w.f("for i := range v {\n")
	w.appendValue(t.Elem, "v[i]")
	w.f("}\nreturn b\n}\n")

	w.beginDecode(f, typ, t.Recursive)
	w.f("if !d.FixedArray(%d) {\nreturn\n}\n", t.Len)
	w.f("for i := range v {\n")
	w.decodeValue(t.Elem, "v[i]")
	w.f("if d.Err() != nil {\nd.InElement(i)\nreturn\n}\n}\n}\n")
}

func (w *writer) mapFunctions(t *model.Type, f function) {
	typ := w.typeName(t.Go)
	w.beginAppend(f, typ, t.Recursive)
	w.f("if *v == nil {\nreturn %s.AppendNil(b)\n}\n", w.codec)
	w.f("b = %s.AppendMap(b, e, len(*v))\n", w.codec)
	w.f("for k, x := range *v {\n")
	w.appendValue(t.Key, "k")
	w.appendValue(t.Elem, "x")
	w.f("}\nreturn b\n}\n")

	w.beginDecode(f, typ, t.Recursive)
	w.f("if d.Nil() {\nreturn\n}\n")
	key, elem := w.typeName(t.Key.Go), w.typeName(t.Elem.Go)
	w.f("m, n := %s.MakeMap[%s, %s](d)\n", w.codec, key, elem)
	w.f("for i := range n {\n")
	w.f("var k %s\n", key)
	w.decodeValue(t.Key, "k")
	w.f("var x %s\n", elem)
	w.decodeValue(t.Elem, "x")
	w.f("if d.Err() != nil {\nd.InElement(i)\nreturn\n}\n")
	w.f("m[k] = x\n}\n*v = m\n}\n")
}

// pointerFunctions writes a pointer as nil or the value. Where the value may be
// nil itself it is wrapped in an array of one.
func (w *writer) pointerFunctions(t *model.Type, f function) {
	typ := w.typeName(t.Go)
	w.beginAppend(f, typ, t.Recursive)
	w.f("if *v == nil {\nreturn %s.AppendNil(b)\n}\n", w.codec)
	if t.Elem.Nillable() {
		w.f("b = %s.AppendArray(b, e, 1)\n", w.codec)
	}
	w.appendValue(t.Elem, "**v")
	w.f("return b\n}\n")

	w.beginDecode(f, typ, t.Recursive)
	w.f("if d.Nil() {\nreturn\n}\n")
	if t.Elem.Nillable() {
		w.f("if !d.FixedArray(1) {\nreturn\n}\n")
	}
	w.f("*v = %s.New[%s](d)\n", w.codec, w.typeName(t.Elem.Go))
	w.decodeValue(t.Elem, "**v")
	w.f("}\n")
}

// plainFunctions writes the functions of a type that needs none elsewhere.
func (w *writer) plainFunctions(t *model.Type, f function) {
	typ := w.typeName(t.Go)
	w.beginAppend(f, typ, false)
	w.appendValue(t, "*v")
	w.f("return b\n}\n")

	w.beginDecode(f, typ, false)
	w.decodeValue(t, "*v")
	w.f("}\n")
}

// appendValue writes the statement that appends the variable x.
func (w *writer) appendValue(t *model.Type, x string) {
	converted := func(to string) string {
		if t.Named == nil && t.Basic.Name() == to {
			return x
		}
		return to + "(" + x + ")"
	}
	switch t.Kind {
	case model.Bool:
		w.f("b = %s.AppendBool(b, %s)\n", w.codec, converted("bool"))
	case model.Int:
		w.f("b = %s.AppendInt(b, %s)\n", w.codec, converted("int64"))
	case model.Uint:
		w.f("b = %s.AppendUint(b, %s)\n", w.codec, converted("uint64"))
	case model.Float:
		kind := types.Typ[t.Basic.Kind()].Name()
		w.f("b = %s.Append%s(b, %s)\n", w.codec, exported(kind), converted(kind))
	case model.String:
		w.f("b = %s.AppendString(b, e, %s)\n", w.codec, converted("string"))
	case model.Bytes:
		w.f("b = %s.AppendBytes(b, e, %s)\n", w.codec, x)
	case model.Strings:
		w.f("b = %s.AppendStrings(b, e, %s)\n", w.codec, x)
	case model.ByteArray:
		w.f("b = %s.AppendByteArray(b, e, %s[:])\n", w.codec, operand(x))
	case model.Time:
		w.f("b = %s.AppendTime(b, %s)\n", w.codec, x)
	case model.Duration:
		w.f("b = %s.AppendInt(b, int64(%s))\n", w.codec, x)
	case model.Text:
		w.f("b = %s.AppendText(b, e, %s)\n", w.codec, address(x))
	case model.Binary:
		w.f("b = %s.AppendBinary(b, e, %s)\n", w.codec, address(x))
	default:
		w.f("b = %s(b, e, %s)\n", w.functionOf(t).append, address(x))
	}
}

// decodeValue writes the statement that decodes the variable x.
func (w *writer) decodeValue(t *model.Type, x string) {
	switch t.Kind {
	case model.Bool, model.Int, model.Uint, model.Float, model.String:
		value := fmt.Sprintf("d.%s()", exported(types.Typ[t.Basic.Kind()].Name()))
		if t.Named != nil {
			value = w.typeName(t.Go) + "(" + value + ")"
		}
		w.f("%s = %s\n", x, value)
	case model.Bytes:
		w.f("%s = d.Bytes()\n", x)
	case model.Strings:
		w.f("%s = d.Strings()\n", x)
	case model.ByteArray:
		w.f("d.ByteArray(%s[:])\n", operand(x))
	case model.Time:
		w.f("%s = d.Time()\n", x)
	case model.Duration:
		w.f("%s = %s(d.Int64())\n", x, w.typeName(t.Go))
	case model.Text:
		w.f("d.Text(%s)\n", address(x))
	case model.Binary:
		w.f("d.Binary(%s)\n", address(x))
	default:
		w.f("%s(d, %s)\n", w.functionOf(t).decode, address(x))
	}
}

// address returns the pointer to the variable x.
func address(x string) string {
	if pointer, ok := strings.CutPrefix(x, "*"); ok {
		return pointer
	}
	return "&" + x
}

// operand returns x so that it can be indexed.
func operand(x string) string {
	if strings.HasPrefix(x, "*") {
		return "(" + x + ")"
	}
	return x
}
