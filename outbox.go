package tenon

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/wire"
)

// An outbox takes what has to be sent by those who must not wait: the reader
// (refusals, pongs) and callers whose context ended (cancels). Its goroutine
// sends it. It is bounded, also if the peer sends and does not read: one cancel per
// open call of ours, as many refusals as [servedCalls] takes calls, for each call of the
// peer also one of each stream and one report of progress, one question and one answer
// per method, one pong, one bye.
type outbox struct {
	limit uint32 // calls that the peer may have open
	mu    sync.Mutex
	mail
	wake   chan struct{}
	sealed chan struct{} // see final
}

type mail struct {
	cancels      []uint32
	refusals     []refusal
	questions    []uint32        // methods of the peer whose shapes we want to know
	descriptions map[uint32]bool // methods of ours whose shapes the peer wants to know
	resets       []address
	streams      map[*outgoing]bool   // whose items were kept and may go out now
	reports      map[*servedCall]bool // who has progress to report
	pings        []uint32
	pong         *uint32
	bye          *bye
	seal         chan struct{} // not nil: send the final bye; closed when it is sent
}

// A bye says that no more calls are taken.
type bye struct {
	last uint32        // the call that was accepted last
	why  []byte        // a failure, if there is one
	sent chan struct{} // closed when it is
}

// A refusal settles a call of the peer whose handler was not started.
type refusal struct {
	id      uint32
	failure wire.Failure
}

func newOutbox(limit uint32) *outbox { return &outbox{limit: limit, wake: make(chan struct{}, 1)} }

func (o *outbox) put(change func(*outbox)) {
	o.mu.Lock()
	change(o)
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *outbox) cancel(id uint32) {
	o.put(func(o *outbox) { o.cancels = append(o.cancels, id) })
}

// refuse settles a call of the peer. A call counts as open until its refusal is sent,
// hence the same limit as that of calls that are accepted.
func (o *outbox) refuse(id uint32, f wire.Failure) (err error) {
	o.put(func(o *outbox) {
		if n := len(o.refusals); uint64(n) >= 2*uint64(o.limit) {
			err = protocolError{fmt.Errorf("%d calls at once that were refused, %d were announced as the limit, and it reads no answers", n, o.limit)}
			return
		}
		o.refusals = append(o.refusals, refusal{id, f})
	})
	return err
}

func (o *outbox) ask(method uint32) {
	o.put(func(o *outbox) { o.questions = append(o.questions, method) })
}

func (o *outbox) describe(method uint32) {
	o.put(func(o *outbox) {
		if o.descriptions == nil {
			o.descriptions = make(map[uint32]bool)
		}
		o.descriptions[method] = true
	})
}

// reset says that no more items of a stream are wanted.
func (o *outbox) reset(a address) {
	o.put(func(o *outbox) { o.resets = append(o.resets, a) })
}

// flushStream sends the items that a stream has kept.
func (o *outbox) flushStream(s *outgoing) {
	o.put(func(o *outbox) {
		if o.streams == nil {
			o.streams = make(map[*outgoing]bool)
		}
		o.streams[s] = true
	})
}

// report sends a report of progress.
func (o *outbox) report(s *servedCall) {
	o.put(func(o *outbox) {
		if o.mail.reports == nil {
			o.mail.reports = make(map[*servedCall]bool)
		}
		o.mail.reports[s] = true
	})
}

func (o *outbox) ping(number uint32) {
	o.put(func(o *outbox) { o.pings = append(o.pings, number) })
}

func (o *outbox) reply(ping uint32) {
	o.put(func(o *outbox) {
		if o.pong == nil || wire.After(ping, *o.pong) {
			o.pong = &ping
		}
	})
}

// farewell says that no call after last is taken, and why if that is the peer's
// fault. The channel is closed when it is sent.
func (o *outbox) farewell(last uint32, why *Error) <-chan struct{} {
	b := &bye{last: last, sent: make(chan struct{})}
	if why != nil {
		b.why = failureOf(why).Append(nil)
	}
	o.put(func(o *outbox) {
		if o.bye != nil {
			b = o.bye
		}
		o.bye = b
	})
	return b.sent
}

// final has the final bye sent, once. The channel is closed when it is.
func (o *outbox) final() (sealed <-chan struct{}) {
	o.put(func(o *outbox) {
		if o.sealed == nil {
			o.sealed = make(chan struct{})
			o.seal = o.sealed
		}
		sealed = o.sealed
	})
	return sealed
}

// flush asks for a flush of what others committed and could not publish.
func (o *outbox) flush() { o.put(func(*outbox) {}) }

// take empties the outbox.
func (o *outbox) take() mail {
	o.mu.Lock()
	defer o.mu.Unlock()
	m := o.mail
	o.mail = mail{}
	return m
}

// runOutbox sends our hello, as soon as the peer has been let in, and then what
// comes into the outbox, until the connection ends or the link breaks.
func (c *Conn) runOutbox() error {
	greet := c.gate.open
	announced := 0
	for {
		select {
		case <-greet:
		case <-c.outbox.wake:
		case <-c.running.Done():
			return c.running.Err()
		}
		if greet != nil && isClosed(greet) { // hello comes first, whatever woke us
			greet = nil
			methods := c.served.methods()
			announced = len(methods)
			hello := wire.Greeting{Epoch: c.epoch, Limits: c.limits, Methods: methods, Auth: []byte(c.token)}
			if err := c.tell(wire.Header{Kind: wire.Hello, Arg: wire.Version}, hello.Append(nil)); err != nil {
				return err
			}
			c.peer.greetingDone()
		}
		m := c.outbox.take()
		if greet != nil {
			m = mail{bye: m.bye} // the peer has no business here yet
		}
		if err := m.send(c.running, c.sender); err != nil {
			return err
		}
		for stream := range m.streams {
			if err := stream.flushKept(c.running); err != nil {
				return err
			}
		}
		for call := range m.reports {
			if err := call.report(c.running, false); err != nil {
				return err
			}
		}
		for method := range m.descriptions {
			if err := c.tell(wire.Header{Kind: wire.Description, Arg: method}, []byte(c.served.shape(method))); err != nil {
				return err
			}
		}
		if methods := c.served.methods(); greet == nil && len(methods) > announced {
			h := wire.Header{Kind: wire.Announce, Arg: uint32(announced)}
			if err := c.tell(h, wire.AppendMethods(nil, methods[announced:])); err != nil {
				return err
			}
			announced = len(methods)
		}
		if m.seal != nil {
			last, _ := c.served.drain()
			if err := c.sealLink(last); err != nil {
				return err
			}
			close(m.seal)
			<-c.running.Done()
			return nil
		}
	}
}

// tell sends a message of the connection itself, which may be large.
func (c *Conn) tell(h wire.Header, b []byte) error {
	_, err := c.sender.send(c.running, message{header: h, body: encoded(b), limit: math.MaxUint32})
	return err
}

// encoded is a body that is encoded already.
type encoded []byte

func (e encoded) AppendBody(b []byte, _ *codec.Encoder) []byte { return append(b, e...) }

// send sends all but the descriptions, which may be large.
func (m *mail) send(ctx context.Context, s *sender) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	for _, id := range m.cancels {
		if err := s.commitFrame(ctx, wire.Header{Kind: wire.Cancel, ID: id}, nil); err != nil {
			return err
		}
		s.allowance.over(id, false)
	}
	for _, a := range m.resets {
		if err := s.commitFrame(ctx, a.header(wire.Reset, 0), nil); err != nil {
			return err
		}
	}
	for _, r := range m.refusals {
		h := wire.Header{Kind: wire.Error, Flags: wire.Callee | wire.Refused, ID: r.id}
		if err := s.commitFrame(ctx, h, r.failure.Append(nil)); err != nil {
			return err
		}
	}
	for _, method := range m.questions {
		if err := s.commitFrame(ctx, wire.Header{Kind: wire.Describe, Arg: method}, nil); err != nil {
			return err
		}
	}
	for _, number := range m.pings {
		if err := s.commitFrame(ctx, wire.Header{Kind: wire.Ping, Arg: number}, nil); err != nil {
			return err
		}
	}
	if m.pong != nil {
		if err := s.commitFrame(ctx, wire.Header{Kind: wire.Pong, Arg: *m.pong}, nil); err != nil {
			return err
		}
	}
	if m.bye != nil {
		if err := s.commitFrame(ctx, wire.Header{Kind: wire.Bye, Arg: m.bye.last}, m.bye.why); err != nil {
			return err
		}
	}
	if err := s.flush(); err != nil {
		return err
	}
	if m.bye != nil {
		close(m.bye.sent)
	}
	return nil
}
