package jsonvalue

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/tinylib/msgp/msgp"

	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/shape"
)

// These bound what array types of the other side can make us write.
const (
	maxMessage = 1 << 28
	maxOmitted = 1 << 16
)

// An encoder appends JSON values as a shape wants them.
type encoder struct {
	b     []byte
	depth int
}

// maxDepth is below what encoding/json reads.
const maxDepth = 5000

// enter begins a value. What we write depends on the other side's types: they
// must not make it endless.
func (e *encoder) enter(path string) error {
	switch e.depth++; {
	case e.depth > maxDepth:
		return fmt.Errorf("%s: it nests too deep", path)
	case len(e.b) > maxMessage:
		return fmt.Errorf("%s: the arguments have more than %d bytes", path, maxMessage)
	}
	return nil
}

func (e *encoder) leave() { e.depth-- }

func (e *encoder) value(path string, t *shape.Type, v any) error {
	if err := e.enter(path); err != nil {
		return err
	}
	defer e.leave()
	mismatch := func() error { return fmt.Errorf("%s: want %s, got %s", path, want(t), got(v)) }
	if v == nil {
		if !nilable(t) {
			return mismatch()
		}
		e.b = msgp.AppendNil(e.b)
		return nil
	}
	switch t.Kind {
	case shape.Pointer:
		if nilable(t.Elem) { // so that it is not taken for a nil pointer
			e.array(1)
		}
		return e.value(path, t.Elem, v)
	case shape.Struct:
		v, ok := v.(map[string]any)
		if !ok {
			return mismatch()
		}
		return e.fields(path+".", t.Fields, v)
	case shape.Slice, shape.Array:
		if isBytes(t) {
			break
		}
		list, ok := v.([]any)
		if !ok || t.Kind == shape.Array && len(list) != t.Len {
			return mismatch()
		}
		e.array(len(list))
		for i, x := range list {
			if err := e.value(fmt.Sprintf("%s[%d]", path, i), t.Elem, x); err != nil {
				return err
			}
		}
		return nil
	case shape.Map:
		entries, ok := v.(map[string]any)
		if !ok {
			return mismatch()
		}
		e.b = msgp.AppendMapHeader(e.b, uint32(len(entries)))
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			at := fmt.Sprintf("%s[%s]", path, key)
			if err := e.value(at+" (the key)", t.Key, keyValue(t.Key, key)); err != nil {
				return err
			}
			if err := e.value(at, t.Elem, entries[key]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := e.scalar(t, v); errors.Is(err, errMismatch) {
		return mismatch()
	} else if err != nil {
		return fmt.Errorf("%s: want %s: %w", path, want(t), err)
	}
	return nil
}

var errMismatch = errors.New("another type")

// scalar appends a value that is written as a bool, a number or a text.
func (e *encoder) scalar(t *shape.Type, v any) error {
	switch v := v.(type) {
	case bool:
		if t.Kind != "bool" {
			return errMismatch
		}
		e.b = msgp.AppendBool(e.b, v)
		return nil
	case json.Number:
		return e.number(t, v.String())
	case string:
		return e.text(t, v)
	}
	return errMismatch
}

func (e *encoder) number(t *shape.Type, digits string) error {
	switch k := kinds[t.Kind]; k.family {
	case signed:
		n, err := strconv.ParseInt(digits, 10, k.bits)
		if err != nil {
			return reason(err)
		}
		e.b = msgp.AppendInt64(e.b, n)
	case unsigned:
		n, err := strconv.ParseUint(digits, 10, k.bits)
		if err != nil {
			return reason(err)
		}
		e.b = msgp.AppendUint64(e.b, n)
	case float:
		f, err := strconv.ParseFloat(digits, k.bits)
		if err != nil {
			return reason(err)
		}
		e.float(k.bits, f)
	default:
		return errMismatch
	}
	return nil
}

// reason says in what way a number is wrong.
func reason(err error) error {
	if errors.Is(err, strconv.ErrRange) {
		return errors.New(err.(*strconv.NumError).Num + " does not fit")
	}
	return errMismatch
}

func (e *encoder) float(bits int, f float64) {
	if bits == 32 {
		e.b = msgp.AppendFloat32(e.b, float32(f))
		return
	}
	e.b = msgp.AppendFloat64(e.b, f)
}

func (e *encoder) text(t *shape.Type, s string) error {
	switch k := kinds[t.Kind]; {
	case t.Kind == "string":
		e.b = msgp.AppendString(e.b, constantText(t, s))
	case t.Kind == shape.Text:
		e.b = msgp.AppendString(e.b, s)
	case t.Kind == shape.Binary, isBytes(t):
		data, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return err
		}
		if t.Kind == shape.Array && len(data) != t.Len {
			return fmt.Errorf("got %d bytes", len(data))
		}
		e.b = msgp.AppendBytes(e.b, data)
	case t.Kind == "time":
		instant, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			return errMismatch
		}
		e.b = codec.AppendTime(e.b, instant)
	case t.Kind == "duration":
		d, err := time.ParseDuration(s)
		if err != nil {
			return errMismatch
		}
		e.b = msgp.AppendInt64(e.b, int64(d))
	case k.family == float:
		f, ok := notNumbers[s]
		if !ok {
			return errMismatch
		}
		e.float(k.bits, f)
	default:
		for _, c := range t.Enum {
			if c.Name == s {
				return e.number(t, c.Value)
			}
		}
		return errMismatch
	}
	return nil
}

var notNumbers = map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}

// constantText returns the value that s names in an enumeration of strings, or s.
func constantText(t *shape.Type, s string) string {
	named := s
	for _, c := range t.Enum {
		value, _ := strconv.Unquote(c.Value)
		if value == s {
			return s
		}
		if c.Name == s {
			named = value
		}
	}
	return named
}

// zero appends the zero value of what was left out.
func (e *encoder) zero(path string, t *shape.Type) error {
	if err := e.enter(path); err != nil {
		return err
	}
	defer e.leave()
	switch {
	case nilable(t):
		e.b = msgp.AppendNil(e.b)
	case t.Kind == shape.Struct:
		e.array(len(t.Fields))
		for _, f := range t.Fields {
			if err := e.zero(path+"."+f.Name, f.Type); err != nil {
				return err
			}
		}
	case t.Kind == shape.Array && t.Len > maxOmitted:
		return fmt.Errorf("%s is missing: want %s", path, want(t))
	case isBytes(t):
		e.b = msgp.AppendBytes(e.b, make([]byte, t.Len))
	case t.Kind == shape.Array:
		e.array(t.Len)
		for range t.Len {
			if err := e.zero(path, t.Elem); err != nil {
				return err
			}
		}
	case t.Kind == "bool":
		e.b = msgp.AppendBool(e.b, false)
	case t.Kind == "string":
		e.b = msgp.AppendString(e.b, "")
	case t.Kind == "time":
		e.b = codec.AppendTime(e.b, time.Time{})
	case t.Kind == shape.Text, t.Kind == shape.Binary:
		return fmt.Errorf("%s is missing: want %s", path, want(t))
	default:
		e.b = msgp.AppendInt64(e.b, 0)
	}
	return nil
}
