// Package shape writes the canonical text of a method's parameters and results,
// by which two sides compare their contracts. PROTOCOL.md has the grammar.
package shape

import (
	"fmt"
	"go/constant"
	"go/types"
	"strconv"
	"strings"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/model"
)

// Of returns the shape of a method, or of a function among its parameters, of a
// service in package pkg.
func Of(s *model.Signature, pkg *types.Package) string {
	w := &writer{pkg: pkg, labels: map[*model.Type]string{}, taken: map[string]bool{}}
	for _, word := range []string{"bytes", "byte", "time", "duration", "stream", "func"} {
		w.taken[word] = true // words of the grammar are no labels
	}
	w.signature(s)
	return w.text.String()
}

type writer struct {
	pkg    *types.Package
	text   strings.Builder
	labels map[*model.Type]string // types that are spelled out already
	taken  map[string]bool
}

func (w *writer) signature(s *model.Signature) {
	w.values(s.Params)
	w.text.WriteByte(' ')
	w.values(s.Results)
}

func (w *writer) values(list []*model.Value) {
	w.text.WriteByte('(')
	for i, v := range list {
		if i > 0 {
			w.text.WriteString(", ")
		}
		if v.Named {
			w.name(v.Name)
		}
		switch {
		case v.Stream:
			w.text.WriteString("stream ")
			w.typ(v.Type)
		case v.Func != nil:
			w.text.WriteString("func")
			w.signature(v.Func)
		default:
			w.typ(v.Type)
		}
	}
	w.text.WriteByte(')')
}

// name writes the name of a value. One that is a word of the grammar would begin
// a stream.
func (w *writer) name(name string) {
	w.text.WriteString(name)
	if name == "stream" {
		w.text.WriteString("#2")
	}
	w.text.WriteByte(' ')
}

func (w *writer) typ(t *model.Type) {
	if label, ok := w.labels[t]; ok {
		w.text.WriteString(label)
		return
	}
	switch {
	case t.Kind == model.Text || t.Kind == model.Binary:
		w.label(t)
		w.text.WriteString(":" + map[model.Kind]string{model.Text: "text", model.Binary: "binary"}[t.Kind])
	case len(t.Enum) > 0:
		w.label(t)
		w.text.WriteString(":" + basic(t.Basic))
		w.enum(t.Enum)
	case t.Kind == model.Struct:
		w.label(t)
		w.fields(t.Fields)
	case t.Recursive: // a slice, map, array or pointer that contains itself
		w.label(t)
		w.text.WriteByte(':')
		w.unnamed(t)
	default:
		w.unnamed(t)
	}
}

func (w *writer) unnamed(t *model.Type) {
	switch t.Kind {
	case model.Time:
		w.text.WriteString("time")
	case model.Duration:
		w.text.WriteString("duration")
	case model.Bytes:
		w.text.WriteString("bytes")
	case model.Strings:
		w.text.WriteString("[]string")
	case model.ByteArray:
		fmt.Fprintf(&w.text, "[%d]byte", t.Len)
	case model.Slice:
		w.text.WriteString("[]")
		w.typ(t.Elem)
	case model.Array:
		fmt.Fprintf(&w.text, "[%d]", t.Len)
		w.typ(t.Elem)
	case model.Map:
		w.text.WriteString("map[")
		w.typ(t.Key)
		w.text.WriteByte(']')
		w.typ(t.Elem)
	case model.Pointer:
		w.text.WriteByte('*')
		w.typ(t.Elem)
	default:
		w.text.WriteString(basic(t.Basic))
	}
}

// basic names a basic type by what it is: byte and rune are other words for
// uint8 and int32.
func basic(t *types.Basic) string { return types.Typ[t.Kind()].Name() }

func (w *writer) fields(list []*model.Field) {
	w.text.WriteByte('{')
	for i, f := range list {
		if i > 0 {
			w.text.WriteString(", ")
		}
		w.text.WriteString(f.Name)
		if f.Was != "" {
			w.text.WriteString("<" + f.Was)
		}
		if f.Optional {
			w.text.WriteByte('?')
		}
		w.text.WriteByte(' ')
		w.typ(f.Type)
	}
	w.text.WriteByte('}')
}

func (w *writer) enum(list []model.Constant) {
	w.text.WriteByte('{')
	for i, c := range list {
		if i > 0 {
			w.text.WriteString(", ")
		}
		value := c.Value.ExactString()
		if c.Value.Kind() == constant.String {
			value = strconv.Quote(constant.StringVal(c.Value))
		}
		w.text.WriteString(c.Name + "=" + value)
	}
	w.text.WriteByte('}')
}

// label writes the name by which t is referred to from now on. Types without a
// name are spelled out every time.
func (w *writer) label(t *model.Type) {
	if t.Named == nil {
		return
	}
	base := types.TypeString(t.Named, func(p *types.Package) string {
		if p == w.pkg {
			return ""
		}
		return p.Name()
	})
	label := base
	for n := 2; w.taken[label]; n++ {
		label = base + "#" + strconv.Itoa(n)
	}
	w.taken[label] = true
	w.labels[t] = label
	w.text.WriteString(label)
}
