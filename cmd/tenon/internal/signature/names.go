package signature

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tenon-go/tenon/internal/shape"
)

// A namer gives the types of one service their names. The shapes of its methods
// were written one by one: the same label may stand for different types in two
// of them.
type namer struct {
	names map[*shape.Type]string
	taken map[string]string // what a name stands for
	types []*Type
}

func newNamer() *namer {
	return &namer{names: map[*shape.Type]string{}, taken: map[string]string{}}
}

func (n *namer) list() []Type {
	list := make([]Type, len(n.types))
	for i, t := range n.types {
		list[i] = *t
	}
	return list
}

// declared returns the parameters or results in the order in which they stand in
// the interface. Ports are sorted by their place.
func (n *namer) declared(fields []shape.Field, ports []shape.Port) []Value {
	values := make([]Value, 0, len(fields)+len(ports))
	for len(fields)+len(ports) > 0 {
		if len(ports) > 0 && ports[0].Place == len(values) {
			values = append(values, Value{Name: ports[0].Name, Type: n.port(ports[0])})
			ports = ports[1:]
			continue
		}
		values = append(values, n.values(fields[:1])...)
		fields = fields[1:]
	}
	return values
}

func (n *namer) port(p shape.Port) string {
	if p.Kind == shape.Function {
		return "func" + signature(n.values(p.Params), n.values(p.Results))
	}
	return "iter.Seq2[" + n.name(p.Elem) + ", error]"
}

func (n *namer) values(fields []shape.Field) []Value {
	values := make([]Value, len(fields))
	for i, f := range fields {
		values[i] = Value{Name: f.Name, Type: n.name(f.Type), Was: f.Was, Optional: f.Optional}
	}
	return values
}

// plain are the types that Go calls by another name.
var plain = map[shape.Kind]string{"bytes": "[]byte", "time": "time.Time", "duration": "time.Duration"}

// name returns the expression for a type.
func (n *namer) name(t *shape.Type) string {
	if t.Label == string(t.Kind) && t.Enum == nil || t.Label == "" {
		return n.unnamed(t)
	}
	if name, ok := n.names[t]; ok {
		return name
	}
	base, _, _ := strings.Cut(t.Label, "#")
	meaning := spell(t)
	name := base
	for i := 2; n.taken[name] != "" && n.taken[name] != meaning; i++ {
		name = base + "#" + strconv.Itoa(i)
	}
	n.names[t] = name
	if n.taken[name] == meaning {
		return name
	}
	n.taken[name] = meaning
	described := &Type{Name: name, Kind: string(t.Kind)}
	n.types = append(n.types, described)
	switch {
	case t.Kind == shape.Struct:
		described.Fields = n.values(t.Fields)
	case t.Enum != nil:
		for _, c := range t.Enum {
			described.Constants = append(described.Constants, Constant(c))
		}
	case t.Elem != nil:
		described.Kind = n.unnamed(t)
	}
	return name
}

func (n *namer) unnamed(t *shape.Type) string {
	switch t.Kind {
	case shape.Slice:
		return "[]" + n.name(t.Elem)
	case shape.Array:
		return fmt.Sprintf("[%d]%s", t.Len, n.name(t.Elem))
	case shape.Map:
		return "map[" + n.name(t.Key) + "]" + n.name(t.Elem)
	case shape.Pointer:
		return "*" + n.name(t.Elem)
	case shape.Struct:
		fields := make([]string, len(t.Fields))
		for i, v := range n.values(t.Fields) {
			fields[i] = v.String()
		}
		return "struct{ " + strings.Join(fields, "; ") + " }"
	}
	if name, ok := plain[t.Kind]; ok {
		return name
	}
	return string(t.Kind)
}

// spell writes out all that a type is made of, so that equal texts are equal
// types.
func spell(t *shape.Type) string {
	var (
		text strings.Builder
		seen = map[*shape.Type]bool{}
		walk func(*shape.Type)
	)
	walk = func(t *shape.Type) {
		fmt.Fprintf(&text, "%s:%s:%d%q", t.Label, t.Kind, t.Len, t.Enum)
		if seen[t] {
			return
		}
		seen[t] = true
		for _, f := range t.Fields {
			fmt.Fprintf(&text, ",%s<%s:%v ", f.Name, f.Was, f.Optional)
			walk(f.Type)
		}
		for _, part := range []*shape.Type{t.Key, t.Elem} {
			if part != nil {
				text.WriteByte('[')
				walk(part)
			}
		}
		text.WriteByte(';')
	}
	walk(t)
	return text.String()
}
