package tenon

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tenon-go/tenon/internal/call"
	"github.com/tenon-go/tenon/internal/wire"
)

// peerMethods is what the other side offers: it is learned from its hello, and
// compared with what our callers expect before the first value is sent.
type peerMethods struct {
	ready    chan struct{} // closed when both hellos are through, or the connection ended
	limits   wire.Limits   // valid from the peer's hello on, which is its first frame
	received bool          // the peer's hello; belongs to the reader's role

	mu       sync.Mutex
	missing  int // hellos that are not through
	ended    *Error
	announce map[string]announced
	known    atomic.Pointer[[]knownMethod] // by call.Method.Index
}

type announced struct {
	number      uint32
	fingerprint uint64
}

// A knownMethod is the outcome of one comparison.
type knownMethod struct {
	compared bool
	number   uint32
	err      *Error
}

func newPeerMethods() *peerMethods {
	p := &peerMethods{ready: make(chan struct{}), missing: 2, announce: make(map[string]announced)}
	p.known.Store(&[]knownMethod{})
	return p
}

// greeted takes the peer's hello. It comes once.
func (c *Conn) greeted(f wire.Frame) error {
	if f.Arg != wire.Version {
		return protocolError{fmt.Errorf("it speaks version %d of the protocol, this side speaks %d: build both with the same tenon", f.Arg, wire.Version)}
	}
	g, err := wire.ParseGreeting(f.Body)
	if err != nil {
		return protocolError{err}
	}
	c.peer.greet(g)
	c.pending.setLimit(int(g.Limits.Calls))
	c.peer.greetingDone()
	return nil
}

func (p *peerMethods) greet(g wire.Greeting) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limits = g.Limits
	for i, m := range g.Methods {
		p.announce[m.Name] = announced{uint32(i), m.Fingerprint}
	}
}

// greetingDone is called when our hello was sent, and when the peer's came in.
// Our first call waits for both: hello is the first frame in each direction.
func (p *peerMethods) greetingDone() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.missing--; p.missing == 0 && p.ended == nil {
		close(p.ready)
	}
}

// end makes those who still wait for a hello fail.
func (p *peerMethods) end(err *Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = err
	if p.missing > 0 {
		close(p.ready)
	}
}

// number returns the peer's number for m. It waits for the peer's hello.
func (p *peerMethods) number(ctx context.Context, m *call.Method) (uint32, error) {
	i := m.Index()
	if known := *p.known.Load(); i < len(known) && known[i].compared {
		if err := known[i].err; err != nil {
			e := *err
			return 0, &e
		}
		return known[i].number, nil
	}
	select {
	case <-p.ready:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended != nil {
		e := *p.ended
		e.SafeToRetry = true
		return 0, &e
	}
	found := p.compare(m)
	old := *p.known.Load()
	known := make([]knownMethod, max(len(old), i+1))
	copy(known, old)
	known[i] = found
	p.known.Store(&known)
	if found.err != nil {
		e := *found.err
		return 0, &e
	}
	return found.number, nil
}

func (p *peerMethods) compare(m *call.Method) knownMethod {
	k := knownMethod{compared: true}
	a, ok := p.announce[m.Name]
	switch {
	case !ok:
		k.err = &Error{Code: Unimplemented, SafeToRetry: true, Message: fmt.Sprintf(
			"the other side does not offer this method (it offers %d); is its service registered, before the connection was made?", len(p.announce))}
	case a.fingerprint != m.Fingerprint():
		k.err = &Error{Code: Mismatch, SafeToRetry: true, Message: fmt.Sprintf(
			"the other side has this method with another shape than %s; generate and build both from the same contract", m.Shape)}
	default:
		k.number = a.number
	}
	return k
}
