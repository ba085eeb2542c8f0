package jsonvalue

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tenon-go/tenon/internal/shape"
)

type family int

const (
	signed family = iota + 1
	unsigned
	float
)

// kinds are those that are written as numbers.
var kinds = map[shape.Kind]struct {
	family family
	bits   int
}{
	"int": {signed, 64}, "int8": {signed, 8}, "int16": {signed, 16}, "int32": {signed, 32}, "int64": {signed, 64},
	"uint": {unsigned, 64}, "uint8": {unsigned, 8}, "uint16": {unsigned, 16}, "uint32": {unsigned, 32}, "uint64": {unsigned, 64},
	"uintptr": {unsigned, 64}, "float32": {float, 32}, "float64": {float, 64},
}

// nilable reports whether a value of t may travel as nil.
func nilable(t *shape.Type) bool {
	switch t.Kind {
	case "bytes", shape.Slice, shape.Map, shape.Pointer:
		return true
	}
	return false
}

// isBytes reports whether t is []byte or [n]byte.
func isBytes(t *shape.Type) bool {
	return t.Kind == "bytes" || t.Kind == shape.Array && t.Elem.Kind == "byte"
}

// isText reports whether values of t are text in JSON.
func isText(t *shape.Type) bool {
	switch t.Kind {
	case "string", "time", "duration", shape.Text, shape.Binary:
		return true
	}
	return isBytes(t)
}

// keyValue returns the JSON value that the text of a map's key stands for.
func keyValue(t *shape.Type, text string) any {
	if isText(t) {
		return text
	}
	if v, err := parse([]byte(text)); err == nil {
		return v
	}
	return text // the name of a constant, or NaN
}

// want says what JSON a type takes.
func want(t *shape.Type) string {
	name := t.String()
	switch {
	case t.Enum != nil && t.Kind != "string":
		names := make([]string, len(t.Enum))
		for i, c := range t.Enum {
			names[i] = strconv.Quote(c.Name)
		}
		return fmt.Sprintf("%s (%s or a number)", name, clip(strings.Join(names, ", ")))
	case isBytes(t):
		return name + " as base64 text"
	}
	switch t.Kind {
	case "time":
		return `a time such as "2006-01-02T15:04:05Z"`
	case "duration":
		return `a duration such as "1m30s"`
	case shape.Text:
		return name + " as text"
	case shape.Binary:
		return name + " as base64 text"
	case shape.Struct, shape.Map:
		return clip(name) + " as an object"
	case shape.Array:
		return fmt.Sprintf("%s as an array of %d", clip(name), t.Len)
	case shape.Slice:
		return clip(name) + " as an array"
	}
	return name
}

// got says what JSON was given.
func got(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool, json.Number:
		return fmt.Sprint(v)
	case string:
		return strconv.Quote(clip(v))
	case []any:
		return fmt.Sprintf("an array of %d", len(v))
	}
	return "an object"
}

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "..."
	}
	return s
}
