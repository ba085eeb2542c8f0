// Package call describes one unary call on its way from a stub to whoever
// carries it: a connection, a pool, a client that reconnects. It is internal so
// that tenon.Caller stays sealed: only packages of tenon can name its argument.
package call

import (
	"hash/fnv"
	"sync/atomic"

	"github.com/tenon-go/tenon/codec"
)

// A Method is what both sides of a connection compare: the name on the wire and
// the shape of arguments and results.
type Method struct {
	Name  string
	Shape string

	index atomic.Uint32 // position in per-connection tables, 0 = not given yet
}

var methods atomic.Uint32

// Index returns a small number that is unique to m within this process, so that
// a connection finds what it knows of m without hashing its name.
func (m *Method) Index() int {
	if i := m.index.Load(); i != 0 {
		return int(i)
	}
	m.index.CompareAndSwap(0, methods.Add(1))
	return int(m.index.Load())
}

// Fingerprint is the FNV-1a hash of the shape.
func (m *Method) Fingerprint() uint64 {
	h := fnv.New64a()
	h.Write([]byte(m.Shape))
	return h.Sum64()
}

// A Call is one call: the method, and the values on the caller's side.
type Call struct {
	Method *Method
	Values Values
	// UserCode says that encoding the arguments runs code of the user, which
	// must not happen inside a reservation of the link.
	UserCode bool
	// Answered is signalled by the reader of a connection when the call is
	// settled. It is made once and kept with the Call for its next use.
	Answered chan struct{}
}

// Values encodes the arguments and decodes the results of a Call.
type Values interface {
	AppendArgs(b []byte, e *codec.Encoder) []byte
	DecodeResult(d *codec.Decoder)
}
