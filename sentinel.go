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

// An errorType finds an error in a chain, and makes it again on the other side.
type errorType struct {
	encode func(err error) (details []byte, ok bool)
	decode func(details []byte) error
}

// RegisterError gives a sentinel error such as io.ErrUnexpectedEOF a name on the
// wire. When a handler returns an error that wraps it, errors.Is finds it in the
// caller's error too, if both sides registered it under that name. The generator
// calls it for variables marked //tenon:error. It panics if the name is taken.
func RegisterError(name string, sentinel error) {
	registerError(name, errorType{
		encode: func(err error) ([]byte, bool) { return nil, errors.Is(err, sentinel) },
		decode: func([]byte) error { return sentinel },
	})
}

// RegisterErrorType does the same for a type of errors, whose value travels:
// errors.As finds it in the caller's error.
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
		decode: func(details []byte) error {
			var (
				value T
				d     codec.Decoder
			)
			d.Reset(details)
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
		panic("tenon: an error is registered as " + name + " already")
	}
	errorTypes.byName[name] = t
	errorTypes.order = append(errorTypes.order, name)
}

// nameError finds a registered error in err.
func nameError(f *wire.Failure, err error) {
	errorTypes.RLock()
	defer errorTypes.RUnlock()
	for _, name := range errorTypes.order {
		if details, ok := errorTypes.byName[name].encode(err); ok {
			f.Name, f.Details = name, details
			return
		}
	}
}

// namedError makes a registered error again.
func namedError(name string, details []byte) error {
	errorTypes.RLock()
	t, ok := errorTypes.byName[name]
	errorTypes.RUnlock()
	if !ok {
		return nil
	}
	return t.decode(details)
}
