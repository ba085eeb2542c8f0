package tenon

import (
	"context"
	"sync"

	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/wire"
)

// An outbox takes what has to be sent by those who must not wait: the reader
// (refusals, pongs) and callers whose context ended (cancels). Its goroutine
// sends it. It is bounded: one cancel per open call of ours, one refusal per
// call that the peer may have open, one pong.
type outbox struct {
	mu       sync.Mutex
	cancels  []uint32
	refusals []refusal
	pong     uint32
	hasPong  bool
	wake     chan struct{}
}

// A refusal settles a call of the peer whose handler was not started.
type refusal struct {
	id      uint32
	failure wire.Failure
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

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

func (o *outbox) refuse(id uint32, f wire.Failure) {
	o.put(func(o *outbox) { o.refusals = append(o.refusals, refusal{id, f}) })
}

func (o *outbox) reply(ping uint32) {
	o.put(func(o *outbox) { o.pong, o.hasPong = ping, true })
}

// flush asks for a flush of what others committed and could not publish.
func (o *outbox) flush() { o.put(func(*outbox) {}) }

// take empties the outbox. The slices are the caller's.
func (o *outbox) take() (cancels []uint32, refusals []refusal, pong uint32, hasPong bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	cancels, refusals, pong, hasPong = o.cancels, o.refusals, o.pong, o.hasPong
	o.cancels, o.refusals, o.hasPong = nil, nil, false
	return
}

// run sends our hello and then what comes in, until ctx ends or the link breaks.
func (o *outbox) run(ctx context.Context, s *sender, hello wire.Greeting, greeted func()) error {
	h := wire.Header{Kind: wire.Hello, Arg: wire.Version}
	if _, err := s.send(ctx, h, greetingBody(hello), true, false, 1<<30); err != nil {
		return err
	}
	greeted()
	for {
		select {
		case <-o.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := o.send(ctx, s); err != nil {
			return err
		}
	}
}

func (o *outbox) send(ctx context.Context, s *sender) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	cancels, refusals, pong, hasPong := o.take()
	for _, id := range cancels {
		if err := s.commitFrame(ctx, wire.Header{Kind: wire.Cancel, ID: id}, nil); err != nil {
			return err
		}
	}
	for _, r := range refusals {
		h := wire.Header{Kind: wire.Error, Flags: wire.Callee | wire.Refused, ID: r.id}
		if err := s.commitFrame(ctx, h, r.failure.Append(nil)); err != nil {
			return err
		}
	}
	if hasPong {
		if err := s.commitFrame(ctx, wire.Header{Kind: wire.Pong, Arg: pong}, nil); err != nil {
			return err
		}
	}
	return s.flush(ctx)
}

type greetingBody wire.Greeting

func (g greetingBody) AppendBody(b []byte, _ *codec.Encoder) []byte {
	return wire.Greeting(g).Append(b)
}
