package shape

import (
	"errors"
	"fmt"

	"github.com/tinylib/msgp/msgp"
)

// A Surplus is a value that the receiver does not know and that is not zero.
type Surplus struct{ Path string }

func (s *Surplus) Error() string {
	return fmt.Sprintf("%s is not known to the other side, which would drop it silently: leave it zero, update the other side, or tag the field `tenon:\",optional\"`", s.Path)
}

// Check reports, as a *[Surplus], whether what was encoded has a value that the
// other side would lose.
func (a *Agreement) Check(encoded []byte) (err error) {
	c := checker{}
	if a.item != nil {
		_, err = c.value(a.path, encoded, a.item, a.theirItem)
	} else {
		_, err = c.list(a.path, encoded, a.ours, a.theirs)
	}
	return err
}

var errDepth = errors.New("values nest too deep")

type checker struct{ depth int }

// list walks the array that a struct or a list of parameters travels as.
func (c *checker) list(path string, b []byte, ours, theirs []Field) (_ []byte, err error) {
	if c.depth++; c.depth > maxDepth {
		return nil, errDepth
	}
	defer func() { c.depth-- }()
	n, b, err := msgp.ReadArrayHeaderBytes(b)
	if err != nil {
		return nil, err
	}
	for i := range int(n) {
		switch {
		case i < len(ours) && i < len(theirs):
			b, err = c.value(at(path, ours[i].Name, i), b, ours[i].Type, theirs[i].Type)
		case i < len(ours) && !ours[i].Optional && !zero(b):
			return nil, &Surplus{at(path, ours[i].Name, i)}
		default:
			b, err = msgp.Skip(b)
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (c *checker) value(path string, b []byte, o, t *Type) (_ []byte, err error) {
	if msgp.IsNil(b) || o == t {
		return msgp.Skip(b)
	}
	var n uint32
	switch o.Kind {
	case Struct:
		return c.list(path+".", b, o.Fields, t.Fields)
	case Pointer:
		if nilable(o.Elem) { // travels as an array of one element
			if _, b, err = msgp.ReadArrayHeaderBytes(b); err != nil {
				return nil, err
			}
		}
		return c.value(path, b, o.Elem, t.Elem)
	case Array, Slice:
		if o.Kind == Array && o.Elem.Kind == "byte" {
			return msgp.Skip(b)
		}
		if n, b, err = msgp.ReadArrayHeaderBytes(b); err != nil {
			return nil, err
		}
		for i := range n {
			if b, err = c.value(fmt.Sprintf("%s[%d]", path, i), b, o.Elem, t.Elem); err != nil {
				return nil, err
			}
		}
		return b, nil
	case Map:
		if n, b, err = msgp.ReadMapHeaderBytes(b); err != nil {
			return nil, err
		}
		for range n {
			if b, err = c.value(path+"[key]", b, o.Key, t.Key); err != nil {
				return nil, err
			}
			if b, err = c.value(path+"[]", b, o.Elem, t.Elem); err != nil {
				return nil, err
			}
		}
		return b, nil
	}
	return msgp.Skip(b)
}

// nilable reports whether a value of t may travel as nil.
func nilable(t *Type) bool {
	switch t.Kind {
	case "bytes", Slice, Map, Pointer:
		return true
	}
	return false
}

// zero reports whether the next value is the zero value of its type: nil, false,
// 0, "", no bytes, or an array of such.
func zero(b []byte) bool {
	if msgp.IsNil(b) {
		return true
	}
	switch msgp.NextType(b) {
	case msgp.BoolType:
		v, _, err := msgp.ReadBoolBytes(b)
		return err == nil && !v
	case msgp.IntType, msgp.UintType:
		v, _, err := msgp.ReadInt64Bytes(b)
		return err == nil && v == 0
	case msgp.Float32Type, msgp.Float64Type:
		v, _, err := msgp.ReadFloat64Bytes(b)
		return err == nil && v == 0
	case msgp.StrType:
		v, _, err := msgp.ReadStringZC(b)
		return err == nil && len(v) == 0
	case msgp.TimeType, msgp.ExtensionType:
		v, _, err := msgp.ReadTimeBytes(b)
		return err == nil && v.IsZero()
	case msgp.ArrayType: // a struct or an array: zero if all its elements are
		n, rest, err := msgp.ReadArrayHeaderBytes(b)
		for range n {
			if err != nil || !zero(rest) {
				return false
			}
			rest, err = msgp.Skip(rest)
		}
		return err == nil
	}
	return false // an empty slice of bytes or an empty map is not the zero value
}
