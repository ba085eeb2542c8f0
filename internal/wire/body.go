package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/tinylib/msgp/msgp"
)

var errShort = errors.New("wire: body ends too early")

// AppendTotal begins the body of a first frame with More.
func AppendTotal(b []byte, total uint32) []byte { return binary.LittleEndian.AppendUint32(b, total) }

// Total takes the total length from the body of a first frame with More.
func Total(body []byte) (total uint32, rest []byte, err error) { return word(body) }

// CallOptions are the optional parts at the beginning of a call's body.
type CallOptions struct {
	Remaining   time.Duration // with HasDeadline
	Fingerprint uint64        // with Named
	Name        string
	Metadata    []byte // with HasMetadata
	Target      string // with HasTarget
}

// AppendMetadata appends the optional part of HasMetadata.
func AppendMetadata(b, metadata []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(metadata))), metadata...)
}

// AppendDeadline appends the optional part of HasDeadline.
func AppendDeadline(b []byte, remaining time.Duration) []byte {
	return binary.LittleEndian.AppendUint64(b, uint64(max(remaining, 0)))
}

// ParseCall takes the optional parts off body and returns the arguments.
func ParseCall(flags uint8, body []byte) (o CallOptions, args []byte, err error) {
	if flags&HasDeadline != 0 {
		var ns uint64
		if ns, body, err = long(body); err != nil {
			return o, nil, err
		}
		if o.Remaining = time.Duration(ns); o.Remaining < 0 {
			o.Remaining = 1<<63 - 1
		}
	}
	if flags&Named != 0 {
		if o.Fingerprint, body, err = long(body); err != nil {
			return o, nil, err
		}
		var name []byte
		if name, body, err = counted(body); err != nil {
			return o, nil, err
		}
		o.Name = string(name)
	}
	if flags&HasMetadata != 0 {
		if o.Metadata, body, err = counted(body); err != nil {
			return o, nil, err
		}
	}
	if flags&HasTarget != 0 {
		var target []byte
		if target, body, err = counted(body); err != nil {
			return o, nil, err
		}
		o.Target = string(target)
	}
	return o, body, nil
}

func word(b []byte) (uint32, []byte, error) {
	if len(b) < 4 {
		return 0, nil, errShort
	}
	return binary.LittleEndian.Uint32(b), b[4:], nil
}

func long(b []byte) (uint64, []byte, error) {
	if len(b) < 8 {
		return 0, nil, errShort
	}
	return binary.LittleEndian.Uint64(b), b[8:], nil
}

func counted(b []byte) (part, rest []byte, err error) {
	n, b, err := word(b)
	if err != nil {
		return nil, nil, err
	}
	if uint64(n) > uint64(len(b)) {
		return nil, nil, errShort
	}
	return b[:n:n], b[n:], nil
}

// A Failure is the body of an error frame: a MessagePack array, append-only.
type Failure struct {
	Code    uint32
	Message string
	Details []byte
	Errors  []NamedError // the registered ones among its causes
}

// A NamedError is an error that both sides know by its name.
type NamedError struct {
	Name  string
	Value []byte // encoded; nil if the name says it all
}

// MaxErrors bounds the named errors of a failure. What goes beyond is left out.
const MaxErrors = 64

// Append appends f as MessagePack.
func (f Failure) Append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 4)
	b = msgp.AppendUint32(b, f.Code)
	b = msgp.AppendString(b, f.Message)
	b = msgp.AppendBytes(b, f.Details)
	named := f.Errors[:min(len(f.Errors), MaxErrors)]
	b = msgp.AppendArrayHeader(b, uint32(len(named)))
	for _, e := range named {
		b = msgp.AppendArrayHeader(b, 2)
		b = msgp.AppendString(b, e.Name)
		b = msgp.AppendBytes(b, e.Value)
	}
	return b
}

// ParseFailure reads the body of an error frame.
func ParseFailure(b []byte) (f Failure, err error) {
	n, b, err := msgp.ReadArrayHeaderBytes(b)
	if err != nil || n < 2 {
		return f, fmt.Errorf("wire: error frame without code and message: %v", err)
	}
	if f.Code, b, err = msgp.ReadUint32Bytes(b); err != nil {
		return f, err
	}
	if f.Message, b, err = msgp.ReadStringBytes(b); err != nil {
		return f, err
	}
	if n > 2 {
		if f.Details, b, err = msgp.ReadBytesBytes(b, nil); err != nil {
			return f, err
		}
	}
	if n > 3 {
		f.Errors, err = parseNamed(b)
	}
	return f, err
}

func parseNamed(b []byte) (named []NamedError, err error) {
	n, b, err := msgp.ReadArrayHeaderBytes(b)
	if err != nil {
		return nil, err
	}
	for range min(n, MaxErrors) {
		var (
			e      NamedError
			fields uint32
		)
		if fields, b, err = msgp.ReadArrayHeaderBytes(b); err != nil || fields != 2 {
			return nil, fmt.Errorf("wire: a named error that is no name and value: %v", err)
		}
		if e.Name, b, err = msgp.ReadStringBytes(b); err != nil {
			return nil, err
		}
		if e.Value, b, err = msgp.ReadBytesBytes(b, nil); err != nil {
			return nil, err
		}
		named = append(named, e)
	}
	return named, nil
}
