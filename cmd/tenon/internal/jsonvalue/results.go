package jsonvalue

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/shape"
)

// Results returns encoded results as JSON of several lines: nothing if there are
// none, else what [Values] returns.
func Results(results []shape.Field, encoded []byte) ([]byte, error) {
	b, err := Values(results, encoded)
	if err != nil || len(results) == 0 {
		return nil, err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, b, "", "  "); err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	return text.Bytes(), nil
}

// Values returns encoded results, or arguments, as JSON of one line: null if there
// are none, one as it is, several as an object if they have names and else as an
// array.
func Values(fields []shape.Field, encoded []byte) ([]byte, error) {
	p := &printer{}
	p.d.ResetOwned(encoded)
	switch {
	case len(fields) == 0:
		p.d.Skip()
		p.text("null")
	case len(fields) == 1:
		p.only(fields[0])
	case named(fields):
		p.list('{', '}', fields)
	default:
		p.list('[', ']', fields)
	}
	if err := p.d.Finish(); err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	return p.b, nil
}

// named reports whether all fields have names.
func named(fields []shape.Field) bool {
	return !slices.ContainsFunc(fields, func(f shape.Field) bool { return f.Name == "" })
}

// Item returns an encoded value as JSON of one line.
func Item(t *shape.Type, encoded []byte) ([]byte, error) {
	p := &printer{}
	p.d.ResetOwned(encoded)
	p.value(t)
	if err := p.d.Finish(); err != nil {
		return nil, fmt.Errorf("item: %w", err)
	}
	return p.b, nil
}

// A printer writes values as JSON while it decodes them. Failures stick to d.
type printer struct {
	d     codec.Decoder
	b     []byte
	depth int
}

func (p *printer) only(result shape.Field) {
	for i := range p.d.Array() {
		if i == 0 {
			p.value(result.Type)
		} else {
			p.d.Skip()
		}
	}
	if len(p.b) == 0 {
		p.text("null")
	}
}

func (p *printer) text(s string) { p.b = append(p.b, s...) }

// list writes an array of the decoder as an object, or without the names.
func (p *printer) list(open, end byte, fields []shape.Field) {
	p.b = append(p.b, open)
	for i := range p.d.Array() {
		if i >= len(fields) {
			p.d.Skip()
			continue
		}
		p.comma(i)
		if open == '{' {
			p.b = append(appendString(p.b, fields[i].Name), ':')
		}
		p.value(fields[i].Type)
		if p.d.Err() != nil {
			p.d.InField(i, namesOf(fields)...)
			return
		}
	}
	p.b = append(p.b, end)
}

func namesOf(fields []shape.Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = label(f, i)
	}
	return names
}

func (p *printer) comma(i int) {
	if i > 0 {
		p.b = append(p.b, ',')
	}
}

func (p *printer) value(t *shape.Type) {
	if p.depth++; p.depth > maxDepth {
		p.d.Fail(errors.New("it nests too deep"))
	}
	defer func() { p.depth-- }()
	if p.d.Err() != nil {
		return
	}
	if nilable(t) && p.d.Nil() {
		p.text("null")
		return
	}
	switch {
	case isBytes(t), t.Kind == shape.Binary:
		p.bytes(t)
	case t.Kind == shape.Pointer:
		if !nilable(t.Elem) || p.d.FixedArray(1) {
			p.value(t.Elem)
		}
	case t.Kind == shape.Struct:
		p.list('{', '}', t.Fields)
	case t.Kind == shape.Array:
		if p.d.FixedArray(t.Len) {
			p.elements(t.Len, t.Elem)
		}
	case t.Kind == shape.Slice:
		p.elements(p.d.Array(), t.Elem)
	case t.Kind == shape.Map:
		p.entries(t)
	default:
		p.scalar(t)
	}
}

func (p *printer) elements(n int, t *shape.Type) {
	p.b = append(p.b, '[')
	for i := range n {
		p.comma(i)
		p.value(t)
		if p.d.Err() != nil {
			p.d.InElement(i)
			return
		}
	}
	p.b = append(p.b, ']')
}

// entries writes a map in the order of its keys' texts.
func (p *printer) entries(t *shape.Type) {
	type entry struct{ key, value []byte }
	outer := p.b
	var entries []entry
	for i := range p.d.Map() {
		var e entry
		p.b = nil
		p.value(t.Key)
		if e.key = p.b; len(e.key) > 0 && e.key[0] != '"' {
			e.key = appendString(nil, string(e.key))
		}
		p.b = nil
		p.value(t.Elem)
		e.value = p.b
		if p.d.Err() != nil {
			p.d.InElement(i)
			return
		}
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	p.b = append(outer, '{')
	for i, e := range entries {
		p.comma(i)
		p.b = append(append(append(p.b, e.key...), ':'), e.value...)
	}
	p.b = append(p.b, '}')
}

func (p *printer) bytes(t *shape.Type) {
	var data []byte
	if t.Kind == shape.Array {
		if data = p.d.Bytes(); len(data) != t.Len {
			p.d.Fail(fmt.Errorf("want %d bytes, got %d", t.Len, len(data)))
		}
	} else {
		data = p.d.Bytes()
	}
	p.b = appendString(p.b, base64.StdEncoding.EncodeToString(data))
}

func (p *printer) scalar(t *shape.Type) {
	start := len(p.b)
	switch k := kinds[t.Kind]; {
	case t.Kind == "bool":
		p.b = strconv.AppendBool(p.b, p.d.Bool())
	case t.Kind == "string", t.Kind == shape.Text:
		p.b = appendString(p.b, p.d.String())
	case t.Kind == "time":
		p.b = appendString(p.b, p.d.Time().Format(time.RFC3339Nano))
	case t.Kind == "duration":
		p.b = appendString(p.b, time.Duration(p.d.Int64()).String())
	case k.family == signed:
		p.b = strconv.AppendInt(p.b, p.d.Int64(), 10)
	case k.family == unsigned:
		p.b = strconv.AppendUint(p.b, p.d.Uint64(), 10)
	case t.Kind == "float32":
		p.float(float64(p.d.Float32()), 32)
	case t.Kind == "float64":
		p.float(p.d.Float64(), 64)
	default:
		p.d.Fail(fmt.Errorf("values of kind %s are not known", t.Kind))
	}
	if t.Kind == "string" {
		return
	}
	for _, c := range t.Enum {
		if c.Value == string(p.b[start:]) {
			p.b = appendString(p.b[:start], c.Name)
			return
		}
	}
}

func (p *printer) float(f float64, bits int) {
	switch {
	case math.IsNaN(f):
		p.text(`"NaN"`)
	case math.IsInf(f, 1):
		p.text(`"Infinity"`)
	case math.IsInf(f, -1):
		p.text(`"-Infinity"`)
	default:
		p.b = strconv.AppendFloat(p.b, f, 'g', -1, bits)
	}
}

func appendString(b []byte, s string) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always can be
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}
