package jsonvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tinylib/msgp/msgp"

	"github.com/tenon-go/tenon/internal/shape"
)

// Arguments encodes the arguments of a method with the parameters. A single
// object holds them by name, a single array in order; otherwise each text is
// one argument.
func Arguments(params []shape.Field, texts [][]byte) ([]byte, error) {
	values := make([]any, len(texts))
	for i, text := range texts {
		v, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("value %d is not JSON: %w%s", i+1, err, unquoted(params, texts, i))
		}
		values[i] = v
	}
	e := &encoder{}
	if len(values) == 1 {
		switch v := values[0].(type) {
		case map[string]any:
			if err := e.named(params, v); err != nil {
				return nil, err
			}
			return e.b, nil
		case []any:
			values = v
		}
	}
	if len(values) != len(params) {
		return nil, fmt.Errorf("want %d arguments, got %d", len(params), len(values))
	}
	e.array(len(params))
	for i, p := range params {
		if err := e.value("argument "+label(p, i), p.Type, values[i]); err != nil {
			return nil, err
		}
	}
	return e.b, nil
}

// unquoted says how to write a value that was perhaps meant as text.
func unquoted(params []shape.Field, texts [][]byte, i int) string {
	if len(texts) != len(params) || !isText(params[i].Type) {
		return ""
	}
	const shown = 40
	text, err := json.Marshal(string(texts[i]))
	if err != nil || len(text) > shown || bytes.ContainsAny(text, `'\\`) {
		text = []byte(`"..."`)
	}
	return fmt.Sprintf("; text is written in quotes: '%s'", text)
}

// ParseItem encodes one value.
func ParseItem(t *shape.Type, text []byte) ([]byte, error) {
	v, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	e := &encoder{}
	if err := e.value("item", t, v); err != nil {
		return nil, err
	}
	return e.b, nil
}

// ParseValues encodes results that are written as [Values] writes them.
func ParseValues(results []shape.Field, text []byte) ([]byte, error) {
	v, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	e := &encoder{}
	var list []any
	switch {
	case len(results) == 0:
		if v != nil {
			return nil, fmt.Errorf("there are no results: want null, got %s", got(v))
		}
	case len(results) == 1:
		list = []any{v}
	case named(results):
		object, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("want an object with the results by name, got %s", got(v))
		}
		err := e.fields("result ", results, object)
		return e.b, err
	default:
		list, _ = v.([]any)
	}
	if len(list) != len(results) {
		return nil, fmt.Errorf("want an array of %d results, got %s", len(results), got(v))
	}
	e.array(len(results))
	for i, r := range results {
		if err := e.value("result "+label(r, i), r.Type, list[i]); err != nil {
			return nil, err
		}
	}
	return e.b, nil
}

// ZeroValues encodes results that are all zero. Some values that travel as their
// own text or bytes have none that is known here.
func ZeroValues(results []shape.Field) ([]byte, error) {
	e := &encoder{}
	e.array(len(results))
	for i, r := range results {
		if err := e.zero("result "+label(r, i), r.Type); err != nil {
			return nil, err
		}
	}
	return e.b, nil
}

func label(p shape.Field, i int) string {
	if p.Name == "" {
		return fmt.Sprint(i + 1)
	}
	return p.Name
}

// named encodes arguments that are given by name.
func (e *encoder) named(params []shape.Field, v map[string]any) error {
	for i, p := range params {
		if p.Name == "" {
			return fmt.Errorf("argument %d has no name: write the arguments as an array", i+1)
		}
	}
	err := e.fields("argument ", params, v)
	var unknown *unknownField
	if errors.As(err, &unknown) && unknown.path == "argument " && len(params) == 1 && params[0].Type.Kind == shape.Struct {
		return fmt.Errorf("%w; the object holds the arguments by name: {%q: {...}}", err, params[0].Name)
	}
	return err
}

// parse reads one JSON value. Numbers keep their digits.
func parse(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("it is empty")
		}
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("something follows at offset %d", d.InputOffset())
	}
	return v, nil
}

// fields encodes an object as the array that structs and arguments travel as.
func (e *encoder) fields(path string, fields []shape.Field, v map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if !slices.ContainsFunc(fields, func(f shape.Field) bool { return f.Name == name }) {
			return &unknownField{path, name, fields}
		}
	}
	e.array(len(fields))
	for _, f := range fields {
		x, given := v[f.Name]
		var err error
		switch {
		case given:
			err = e.value(path+f.Name, f.Type, x)
		case f.Optional || f.Type.Kind == shape.Pointer:
			err = e.zero(path+f.Name, f.Type)
		default:
			err = fmt.Errorf("%s%s is missing: want %s", path, f.Name, want(f.Type))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// An unknownField is a name that a struct or list of parameters does not have.
type unknownField struct {
	path, name string
	fields     []shape.Field
}

func (u *unknownField) Error() string {
	s := fmt.Sprintf("%s%s is not known", u.path, u.name)
	names := make([]string, len(u.fields))
	for i, f := range u.fields {
		names[i] = f.Name
		if strings.EqualFold(f.Name, u.name) {
			return s + ": did you mean " + f.Name + "?"
		}
	}
	if len(names) == 0 {
		return s + ": nothing is wanted there"
	}
	return s + ": there are " + strings.Join(names, ", ")
}

func (e *encoder) array(n int) { e.b = msgp.AppendArrayHeader(e.b, uint32(n)) }
