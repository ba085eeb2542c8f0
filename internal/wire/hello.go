package wire

import (
	"fmt"

	"github.com/tinylib/msgp/msgp"
)

// Limits are what one side accepts; the other keeps to them and names them in
// the error when a caller asks for more.
type Limits struct {
	Message    uint32 // bytes of one message
	Reassembly uint32 // bytes of messages that have arrived in part
	Calls      uint32 // calls open at once
	Metadata   uint32 // bytes of metadata of one call

	StreamBytes uint32 // of one stream that were sent and not taken
	StreamItems uint32
}

// all are the limits in the order of the protocol.
func (l *Limits) all() []*uint32 {
	return []*uint32{&l.Message, &l.Reassembly, &l.Calls, &l.Metadata, &l.StreamBytes, &l.StreamItems}
}

// A Method is one announced method. Its number in call frames is its position
// among all methods announced on the connection, counted from 0.
type Method struct {
	Name        string
	Fingerprint uint64
}

// A Greeting is the body of a hello frame: a MessagePack array, append-only. Its
// header's Arg is the protocol version.
type Greeting struct {
	Epoch    uint32 // counts the connections over one link
	Features uint32
	Limits   Limits
	Auth     []byte
	Methods  []Method
}

// MaxMethods and MaxName bound what a peer may announce: methods, and bytes of the
// name of each.
const (
	MaxMethods = 1 << 16
	MaxName    = 1 << 10
)

// Append appends g as MessagePack.
func (g Greeting) Append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 5)
	b = msgp.AppendUint32(b, g.Epoch)
	b = msgp.AppendUint32(b, g.Features)
	limits := g.Limits.all()
	b = msgp.AppendArrayHeader(b, uint32(len(limits)))
	for _, v := range limits {
		b = msgp.AppendUint32(b, *v)
	}
	b = msgp.AppendBytes(b, g.Auth)
	return AppendMethods(b, g.Methods)
}

// AppendMethods appends a list of methods, the body of an announce frame.
func AppendMethods(b []byte, methods []Method) []byte {
	b = msgp.AppendArrayHeader(b, uint32(len(methods)))
	for _, m := range methods {
		b = msgp.AppendArrayHeader(b, 2)
		b = msgp.AppendString(b, m.Name)
		b = msgp.AppendUint64(b, m.Fingerprint)
	}
	return b
}

// ParseGreeting reads the body of a hello frame. Surplus elements, from a later
// version, are skipped.
func ParseGreeting(b []byte) (Greeting, error) {
	g, err := parseGreeting(b)
	if err != nil {
		return g, fmt.Errorf("wire: hello cannot be read: %w", err)
	}
	return g, nil
}

func parseGreeting(b []byte) (g Greeting, err error) {
	n, b, err := msgp.ReadArrayHeaderBytes(b)
	if err != nil {
		return g, err
	}
	if n < 5 {
		return g, fmt.Errorf("%d elements instead of 5", n)
	}
	if g.Epoch, b, err = msgp.ReadUint32Bytes(b); err != nil {
		return g, err
	}
	if g.Features, b, err = msgp.ReadUint32Bytes(b); err != nil {
		return g, err
	}
	if b, err = g.Limits.parse(b); err != nil {
		return g, err
	}
	if g.Auth, b, err = msgp.ReadBytesBytes(b, nil); err != nil {
		return g, err
	}
	g.Methods, err = ParseMethods(b)
	return g, err
}

// ParseMethods reads a list of methods, the body of an announce frame.
func ParseMethods(b []byte) ([]Method, error) {
	count, b, err := msgp.ReadArrayHeaderBytes(b)
	if err != nil {
		return nil, err
	}
	if count > MaxMethods {
		return nil, fmt.Errorf("%d methods, at most %d are allowed", count, MaxMethods)
	}
	methods := make([]Method, 0, min(int(count), len(b)/3))
	for range count {
		var m Method
		if m, b, err = parseMethod(b); err != nil {
			return nil, err
		}
		methods = append(methods, m)
	}
	return methods, nil
}

func (l *Limits) parse(b []byte) ([]byte, error) {
	n, b, err := msgp.ReadArrayHeaderBytes(b)
	if err != nil {
		return b, err
	}
	fields := l.all()
	for i := range int(n) {
		if i >= len(fields) {
			b, err = msgp.Skip(b)
		} else {
			*fields[i], b, err = msgp.ReadUint32Bytes(b)
		}
		if err != nil {
			return b, err
		}
	}
	return b, nil
}

func parseMethod(b []byte) (m Method, _ []byte, err error) {
	n, b, err := msgp.ReadArrayHeaderBytes(b)
	if err != nil {
		return m, b, err
	}
	if n < 2 {
		return m, b, fmt.Errorf("method with %d elements", n)
	}
	if m.Name, b, err = msgp.ReadStringBytes(b); err != nil {
		return m, b, err
	}
	if len(m.Name) > MaxName {
		return m, b, fmt.Errorf("a method's name of %d bytes, at most %d are allowed", len(m.Name), MaxName)
	}
	if m.Fingerprint, b, err = msgp.ReadUint64Bytes(b); err != nil {
		return m, b, err
	}
	for range n - 2 {
		if b, err = msgp.Skip(b); err != nil {
			return m, b, err
		}
	}
	return m, b, nil
}
