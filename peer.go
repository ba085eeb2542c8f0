package tenon

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tenon-go/tenon/internal/call"
	"github.com/tenon-go/tenon/internal/shape"
	"github.com/tenon-go/tenon/internal/wire"
)

// peerMethods is what the other side offers: it is learned from its hello, and
// compared with what our callers expect before the first value is sent.
type peerMethods struct {
	ready    chan struct{} // closed when both hellos are through, or the connection ended
	limits   wire.Limits   // valid from the peer's hello on, which is its first frame
	received atomic.Bool   // the peer's hello; set in the reader's role

	mu       sync.Mutex
	missing  int // hellos that are not through
	offered  int // methods announced
	ended    *Error
	announce map[string]announced
	known    atomic.Pointer[[]knownMethod] // by call.Method.Index

	descriptions map[uint32]*description
}

type announced struct {
	number      uint32
	fingerprint uint64
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// An Offer is a method that the other side of a connection serves.
type Offer struct {
	Name  string // "package.Service/Method"
	Shape string // its parameters and results, see PROTOCOL.md
}

// Offers returns what the other side serves, sorted by name.
func (c *Conn) Offers(ctx context.Context) ([]Offer, error) {
	select {
	case <-c.peer.ready:
	case <-ctx.Done():
		return nil, c.explain(ctx, unsent(ctx.Err()), "")
	}
	c.peer.mu.Lock()
	methods, ended := maps.Clone(c.peer.announce), c.peer.ended
	c.peer.mu.Unlock()
	if ended != nil {
		e := *ended
		return nil, c.explain(ctx, unsent(&e), "")
	}
	var offers []Offer
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		shape, err := c.describe(ctx, methods[name].number)
		if err != nil {
			return nil, c.explain(ctx, unsent(err), name)
		}
		offers = append(offers, Offer{name, shape})
	}
	return offers, nil
}

// A knownMethod is the outcome of one comparison.
type knownMethod struct {
	compared  bool
	number    uint32
	agreement *shape.Agreement // nil: the shapes are equal
	err       *Error
}

func newPeerMethods() *peerMethods {
	p := &peerMethods{ready: make(chan struct{}), missing: 2, announce: make(map[string]announced), descriptions: make(map[uint32]*description)}
	p.known.Store(&[]knownMethod{})
	return p
}

// takeHello takes the peer's hello. It comes once.
func (c *Conn) takeHello(f wire.Frame) error {
	if f.Arg != wire.Version {
		return protocolError{fmt.Errorf("it speaks version %d of the protocol, this side speaks %d: build both with the same tenon", f.Arg, wire.Version)}
	}
	g, err := wire.ParseGreeting(f.Body)
	if err != nil {
		return protocolError{err}
	}
	if g.Epoch != c.epoch {
		return protocolError{fmt.Errorf("it begins connection %d over this link, this side expects %d", g.Epoch, c.epoch)}
	}
	if err := c.gate.enter(g.Auth); err != nil {
		c.refuse(PermissionDenied, err)
		return nil
	}
	c.peer.limits = g.Limits
	if l := &c.peer.limits; l.StreamBytes == 0 || l.StreamItems == 0 {
		l.StreamBytes, l.StreamItems = minStreamBytes, minStreamItems
	}
	if err := c.peer.learnOf(0, g.Methods); err != nil {
		return protocolError{err}
	}
	c.pending.setLimit(c.reader, int(g.Limits.Calls))
	c.sender.allowance.set(int64(g.Limits.Reassembly))
	c.peer.greetingDone()
	return nil
}

// learnOf takes methods that the peer announces, with the number of the first
// one. What was missing before may be there now.
func (p *peerMethods) learnOf(first uint32, methods []wire.Method) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if uint64(first) != uint64(p.offered) {
		return fmt.Errorf("it announces methods from number %d on, after %d", first, p.offered)
	}
	if p.offered += len(methods); p.offered > wire.MaxMethods {
		return fmt.Errorf("it announces %d methods, at most %d are allowed", p.offered, wire.MaxMethods)
	}
	for i, m := range methods {
		p.announce[m.Name] = announced{first + uint32(i), m.Fingerprint}
	}
	known := slices.Clone(*p.known.Load())
	for i, k := range known {
		if k.err != nil && k.err.Code == Unimplemented {
			known[i] = knownMethod{}
		}
	}
	p.known.Store(&known)
	return nil
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

// unmet is nil if both hellos went through, else why the connection ended before.
// It is called after ready.
func (p *peerMethods) unmet() *Error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.missing == 0 {
		return nil
	}
	e := *p.ended
	return &e
}

// end makes those who still wait for a hello fail.
func (p *peerMethods) end(err *Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended == nil { // a bye said more than the end of the link does
		p.ended = err
	}
	if !isClosed(p.ready) {
		close(p.ready)
	}
}

// lookUp returns what the peer offers for m. It waits for the peer's hello, and
// for its shape of m if that is another one than ours.
func (c *Conn) lookUp(ctx context.Context, m *call.Method) (knownMethod, error) {
	p := c.peer
	i := m.Index()
	if known := *p.known.Load(); i < len(known) && known[i].compared && known[i].err == nil {
		return known[i], nil
	}
	select {
	case <-p.ready:
	case <-ctx.Done():
		return knownMethod{}, ctx.Err()
	}
	a, ok, err := p.find(m.Name)
	if err != nil {
		return knownMethod{}, err
	}
	if known := *p.known.Load(); i < len(known) && known[i].compared {
		return known[i], known[i].failure()
	}
	found := knownMethod{compared: true, number: a.number}
	switch {
	case !ok:
		found.err = &Error{Code: Unimplemented, SafeToRetry: true, Message: fmt.Sprintf(
			"the other side does not offer this method (it offers %d); is its service registered?", p.count())}
	case a.fingerprint != m.Fingerprint():
		theirs, err := c.describe(ctx, a.number)
		if err != nil {
			return knownMethod{}, err
		}
		if found.agreement, err = compare(m.Shape, theirs); err != nil {
			found.err = &Error{Code: Mismatch, SafeToRetry: true, Message: fmt.Sprintf(
				"the two sides have different contracts: %v; generate and build both from the same one", err)}
		}
	}
	p.learn(i, found)
	return found, found.failure()
}

// compare says what two different shapes allow.
func compare(ours, theirs string) (*shape.Agreement, error) {
	o, err := shape.Parse(ours)
	if err != nil {
		return nil, fmt.Errorf("our own %w", err)
	}
	t, err := shape.Parse(theirs)
	if err != nil {
		return nil, fmt.Errorf("the other side's %w", err)
	}
	return shape.Compare(o, t)
}

// find looks a method up in what the peer has announced.
func (p *peerMethods) find(name string) (a announced, ok bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended != nil {
		e := *p.ended
		e.SafeToRetry = true
		return a, false, &e
	}
	a, ok = p.announce[name]
	return a, ok, nil
}

// count returns how many methods the peer offers.
func (p *peerMethods) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.announce)
}

// learn keeps the outcome of a comparison.
func (p *peerMethods) learn(i int, found knownMethod) {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := *p.known.Load()
	known := make([]knownMethod, max(len(old), i+1))
	copy(known, old)
	known[i] = found
	p.known.Store(&known)
}

func (k *knownMethod) failure() error {
	if k.err == nil {
		return nil
	}
	e := *k.err
	return &e
}

// A description is the shape of a method of the peer; it is asked for once.
type description struct {
	arrived chan struct{}
	shape   string
}

// describe asks the peer for the shape of one of its methods.
func (c *Conn) describe(ctx context.Context, method uint32) (string, error) {
	p := c.peer
	p.mu.Lock()
	d := p.descriptions[method]
	if d == nil {
		d = &description{arrived: make(chan struct{})}
		p.descriptions[method] = d
		c.outbox.ask(method)
		c.reader.rouse()
	}
	p.mu.Unlock()
	return d.wait(ctx, c)
}

func (d *description) wait(ctx context.Context, c *Conn) (string, error) {
	select {
	case <-d.arrived:
		return d.shape, nil
	case <-ctx.Done():
		return "", ctx.Err()
	case <-c.done:
		e := *c.failed
		return "", &e
	}
}

// described takes the peer's answer. One that nobody asked for is dropped.
func (p *peerMethods) described(method uint32, shape string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d := p.descriptions[method]; d != nil && d.shape == "" {
		d.shape = shape
		close(d.arrived)
	}
}

// What a peer accepts of a stream that has not told.
const (
	minStreamBytes = 64 << 10
	minStreamItems = 1 << 10
)
