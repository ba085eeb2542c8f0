package tenon

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/wire"
)

// errorTypes are the errors that keep their identity across a connection.
var errorTypes struct {
	sync.RWMutex
	byName map[string]errorType
	order  []string
}

// An errorType finds an error in a tree, and makes it again on the other side.
type errorType struct {
	encode func(err error) (value []byte, ok bool)
	decode func(value []byte) error
}

func init() { RegisterError("tenon.ErrTooLarge", ErrTooLarge) }

// RegisterError gives a sentinel error such as io.ErrUnexpectedEOF a name on the
// wire. When a handler returns an error that wraps it, alone or among others
// (errors.Join), errors.Is finds it in the caller's error too, if both sides
// registered it under that name. The generator calls it for variables marked
// //tenon:error. It panics if the name is taken.
func RegisterError(name string, sentinel error) {
	registerError(name, errorType{
		encode: func(err error) ([]byte, bool) { return nil, errors.Is(err, sentinel) },
		decode: func([]byte) error { return sentinel },
	})
}

// RegisterErrorType does the same for a type of errors, whose value travels:
// errors.As finds it in the caller's error. Of several values of one type the
// first one travels.
//
// These types are no part of a method's shape, since any method may return any
// error; so they are not compared when two sides connect. Like all structs they
// are append-only. A value that the caller's side cannot decode becomes an error
// that says so; the message and the code of the call's error are there as ever.
func RegisterErrorType[T error](name string, c Codec[T]) {
	registerError(name, errorType{
		encode: func(err error) ([]byte, bool) {
			var value T
			if !errors.As(err, &value) {
				return nil, false
			}
			var e codec.Encoder
			b := c.Append(nil, &e, &value)
			segments := e.Segments()
			for i := len(segments) - 1; i >= 0; i-- {
				at := segments[i].At
				b = append(b[:at:at], append(segments[i].Data[:len(segments[i].Data):len(segments[i].Data)], b[at:]...)...)
			}
			return b, e.Err() == nil
		},
		decode: func(encoded []byte) error {
			var (
				value T
				d     codec.Decoder
			)
			d.Reset(encoded)
			c.Decode(&d, &value)
			if err := d.Finish(); err != nil {
				return fmt.Errorf("tenon: the error %s cannot be decoded: %w", name, err)
			}
			return value
		},
	})
}

func registerError(name string, t errorType) {
	errorTypes.Lock()
	defer errorTypes.Unlock()
	if errorTypes.byName == nil {
		errorTypes.byName = make(map[string]errorType)
	}
	if _, taken := errorTypes.byName[name]; taken {
		panic("tenon: another error is registered as " + name + " already: two packages of one name declare it; " +
			"give one of the two another name on the wire, with //tenon:error name=... above it or in RegisterError")
	}
	errorTypes.byName[name] = t
	errorTypes.order = append(errorTypes.order, name)
}

// namedErrors finds the registered errors in err.
func namedErrors(err error) (found []wire.NamedError) {
	errorTypes.RLock()
	defer errorTypes.RUnlock()
	for _, name := range errorTypes.order {
		if value, ok := errorTypes.byName[name].encode(err); ok {
			found = append(found, wire.NamedError{Name: name, Value: value})
		}
	}
	return found
}

// joinErrors makes the registered errors again that this side knows, or nil.
func joinErrors(named []wire.NamedError) error {
	var known []error
	for _, n := range named {
		errorTypes.RLock()
		t, ok := errorTypes.byName[n.Name]
		errorTypes.RUnlock()
		if ok {
			known = append(known, t.decode(n.Value))
		}
	}
	if len(known) == 1 {
		return known[0]
	}
	return errors.Join(known...)
}
