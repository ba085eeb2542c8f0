package shape

import (
	"fmt"
	"strconv"
	"strings"
)

// A Shape is what two sides compare: the parameters and results of a method.
type Shape struct {
	Params, Results []Field // those that travel as values, in order
	Ports           []Port  // the streams and functions; port 1 comes first
}

// A Kind is a form of values. Basic types have their Go name as kind.
type Kind string

const (
	Slice   Kind = "slice"
	Array   Kind = "array"
	Map     Kind = "map"
	Pointer Kind = "pointer"
	Struct  Kind = "struct"
	Text    Kind = "text"
	Binary  Kind = "binary"
)

// A Type is the type of one value. Recursive types are cyclic.
type Type struct {
	Kind      Kind
	Label     string // name in Go, if it has one
	Len       int    // of an Array
	Key, Elem *Type
	Fields    []Field    // of a Struct
	Enum      []Constant // of a basic kind
}

// A Field is a field of a struct, a parameter or a result.
type Field struct {
	Name     string // "" for a parameter or result without one
	Was      string // its name before
	Optional bool   // may be dropped silently
	Type     *Type
}

// A Constant is a named value of an enumeration.
type Constant struct{ Name, Value string }

const (
	maxText  = 1 << 20
	maxDepth = 200
	maxPorts = 1<<16 - 1 // as many as a frame can number
)

var basics = map[string]bool{
	"bool": true, "string": true, "float32": true, "float64": true,
	"int": true, "int8": true, "int16": true, "int32": true, "int64": true,
	"uint": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true, "uintptr": true,
	"bytes": true, "byte": true, "time": true, "duration": true,
}

// Parse reads a shape.
func Parse(text string) (s *Shape, err error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("shape of %d bytes, at most %d are read", len(text), maxText)
	}
	p := &parser{rest: text, types: make(map[string]*Type)}
	defer func() {
		if bad, ok := recover().(syntaxError); ok {
			err = fmt.Errorf("shape cannot be read at offset %d: %w", len(text)-len(p.rest), bad.err)
		}
	}()
	s = &Shape{}
	s.Params = p.values(p.param)
	p.expect(" ")
	s.Results = p.values(p.result)
	s.Ports = p.ports
	if p.rest != "" {
		p.fail("%q is left over", clip(p.rest))
	}
	return s, nil
}

type syntaxError struct{ err error }

type parser struct {
	rest  string
	types map[string]*Type // by label
	ports []Port
	depth int
}

func (p *parser) fail(format string, args ...any) { panic(syntaxError{fmt.Errorf(format, args...)}) }

func (p *parser) accept(s string) bool {
	rest, ok := strings.CutPrefix(p.rest, s)
	p.rest = rest
	return ok
}

func (p *parser) expect(s string) {
	if !p.accept(s) {
		p.fail("expected %q, found %q", s, clip(p.rest))
	}
}

// values reads a list. What port takes, given a name and a place, is none of the
// fields.
func (p *parser) values(port func(name string, place int) bool) (fields []Field) {
	p.expect("(")
	for place := 0; !p.accept(")"); place++ {
		if place > 0 {
			p.expect(", ")
		}
		name := p.valueName()
		if !port(name, place) {
			fields = append(fields, Field{Name: name, Type: p.typ()})
		}
	}
	return fields
}

// valueName takes the name of a parameter or result, if it has one.
func (p *parser) valueName() string {
	if strings.HasPrefix(p.rest, stream) {
		return ""
	}
	name, _ := p.name()
	if name == "stream#2" {
		return "stream"
	}
	return name
}

// name takes the name of a value or field, which a space ends.
func (p *parser) name() (string, bool) {
	end := strings.IndexAny(p.rest, " ,()[]{}*:")
	if end <= 0 || p.rest[end] != ' ' {
		return "", false
	}
	name := p.rest[:end]
	p.rest = p.rest[end+1:]
	return name, true
}

func list[T any](p *parser, end string, item func() T) (items []T) {
	for !p.accept(end) {
		if len(items) > 0 {
			p.expect(", ")
		}
		items = append(items, item())
	}
	return items
}

func (p *parser) typ() *Type {
	if p.depth++; p.depth > maxDepth {
		p.fail("types nest deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	switch {
	case p.accept("[]"):
		return &Type{Kind: Slice, Elem: p.typ()}
	case p.accept("["):
		digits, rest, ok := strings.Cut(p.rest, "]")
		n, err := strconv.Atoi(digits)
		if !ok || err != nil || n < 0 {
			p.fail("%q is no length", clip(digits))
		}
		p.rest = rest
		return &Type{Kind: Array, Len: n, Elem: p.typ()}
	case p.accept("map["):
		key := p.typ()
		p.expect("]")
		return &Type{Kind: Map, Key: key, Elem: p.typ()}
	case p.accept("*"):
		return &Type{Kind: Pointer, Elem: p.typ()}
	case p.accept("{"):
		return &Type{Kind: Struct, Fields: p.fields()}
	}
	return p.named()
}

// named reads a basic type, or what begins with a label.
func (p *parser) named() *Type {
	label := p.label()
	t := &Type{Label: label}
	switch {
	case p.accept("{"):
		p.declare(t)
		t.Kind, t.Fields = Struct, p.fields()
	case p.accept(":text"):
		p.declare(t)
		t.Kind = Text
	case p.accept(":binary"):
		p.declare(t)
		t.Kind = Binary
	case p.accept(":"):
		p.declare(t)
		if basic, constants, ok := strings.Cut(p.rest, "{"); ok && basics[basic] {
			p.rest = constants
			t.Kind, t.Enum = Kind(basic), p.enum()
			break
		}
		inner := *p.typ()
		inner.Label = label
		*t = inner
	case p.types[label] != nil:
		return p.types[label]
	case basics[label]:
		return &Type{Kind: Kind(label)}
	default:
		p.fail("%q is not known", clip(label))
	}
	return t
}

func (p *parser) declare(t *Type) {
	if t.Label == "stream" || t.Label == "func" {
		p.fail("%q is a word of the grammar and no label", t.Label)
	}
	if p.types[t.Label] != nil {
		p.fail("%q is spelled out twice", clip(t.Label))
	}
	p.types[t.Label] = t
}

// label takes a label: up to what can't be part of one, but with the type
// arguments in balanced brackets.
func (p *parser) label() string {
	depth := 0
	for i, c := range p.rest {
		switch {
		case c == '[':
			depth++
		case c == ']' && depth > 0:
			depth--
		case depth > 0:
		case strings.ContainsRune(" ,(){}[]*:", c):
			return p.cut(i)
		}
	}
	return p.cut(len(p.rest))
}

func (p *parser) cut(n int) string {
	if n == 0 {
		p.fail("expected a type, found %q", clip(p.rest))
	}
	s := p.rest[:n]
	p.rest = p.rest[n:]
	return s
}

func (p *parser) fields() []Field {
	return list(p, "}", func() Field {
		var f Field
		name, ok := p.name()
		if !ok {
			p.fail("expected a field's name, found %q", clip(p.rest))
		}
		name, f.Optional = strings.CutSuffix(name, "?")
		f.Name, f.Was, _ = strings.Cut(name, "<")
		f.Type = p.typ()
		return f
	})
}

func (p *parser) enum() []Constant {
	return list(p, "}", func() Constant {
		name, rest, ok := strings.Cut(p.rest, "=")
		if !ok {
			p.fail("expected a constant, found %q", clip(p.rest))
		}
		p.rest = rest
		if quoted, err := strconv.QuotedPrefix(p.rest); err == nil {
			return Constant{name, p.cut(len(quoted))}
		}
		end := strings.IndexAny(p.rest, ",}")
		if end <= 0 {
			p.fail("constant %s has no value", clip(name))
		}
		return Constant{name, p.cut(end)}
	})
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

// String returns the type as people write it, without what a label stands for.
func (t *Type) String() string {
	switch {
	case t.Label != "":
		return t.Label
	case t.Kind == Slice:
		return "[]" + t.Elem.String()
	case t.Kind == Array:
		return fmt.Sprintf("[%d]%v", t.Len, t.Elem)
	case t.Kind == Map:
		return fmt.Sprintf("map[%v]%v", t.Key, t.Elem)
	case t.Kind == Pointer:
		return "*" + t.Elem.String()
	case t.Kind == Struct:
		names := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			names[i] = f.Name + " " + f.Type.String()
		}
		return "struct{" + strings.Join(names, ", ") + "}"
	}
	return string(t.Kind)
}
