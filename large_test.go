package tenon_test

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/internal/wire"
)

// flooded is a link that brings parts of a large message behind the next call, with
// no end until an answer is on its way.
type flooded struct {
	tenon.DirectLink
	armed    atomic.Bool
	flooding bool
	parts    int
	answer   bool // is committed
}

// enoughParts is when the flood ends in any case.
const enoughParts = 1000

func (l *flooded) part(h wire.Header, body []byte) []byte {
	h.Flags, h.ID = wire.More, 1<<20
	frame := append(h.Append(nil), body...)
	wire.SetSize(frame)
	return frame
}

func (l *flooded) TryRecv() ([]byte, error) {
	if l.flooding && l.parts < enoughParts {
		l.parts++
		return l.part(wire.Header{Kind: wire.Fragment}, make([]byte, 64)), nil
	}
	p, err := l.DirectLink.TryRecv()
	if len(p) > 0 && wire.Kind(p[4]) == wire.Call && l.armed.CompareAndSwap(true, false) {
		l.flooding = true
		first := l.part(wire.Header{Kind: wire.Call}, wire.AppendTotal(nil, 1<<20))
		return append(bytes.Clone(p), first...), nil
	}
	return p, err
}

func (l *flooded) Commit(p []byte) error {
	l.answer = l.answer || l.flooding && wire.Kind(p[4]) == wire.Answer
	return l.DirectLink.Commit(p)
}

func (l *flooded) Flush() error {
	if l.answer {
		l.flooding = false
	}
	return l.DirectLink.Flush()
}

// TestAnswersPassBetweenThePartsOfALargeMessage is about an answer that would go out
// with the next ones, while what comes next is a large message.
func TestAnswersPassBetweenThePartsOfALargeMessage(t *testing.T) {
	a, b := inproc.Pair()
	l := &flooded{DirectLink: b}
	r := newRig(t, a, l)
	r.py.settle(t, r.x, 1, inPlace)
	l.armed.Store(true)
	if _, err := r.py.methods[1].Call(t.Context(), r.x, ""); err != nil {
		t.Fatal(err)
	}
	r.close()
	if l.parts > enoughParts/10 {
		t.Errorf("%d parts came before the answer to a call before them went out", l.parts)
	}
}

// Whoever refuses a message for its size, and on whichever side, the error says so to
// errors.Is.
func TestTooLargeIsAnErrorOfItsOwn(t *testing.T) {
	large := make([]byte, 100<<10)
	a, b := inproc.Pair()
	conn := handling(t, a, b, func(srv *tenon.Server) {
		tenon.Handle(srv, &echo, func(_ context.Context, p []byte) ([]byte, error) { return large, nil })
		tenon.Handle(srv, &pieces, func(ctx context.Context, n int) (int, error) {
			for _, err := range tenon.Input(ctx, 1, &bytesItem) {
				if err != nil {
					return 0, err
				}
			}
			return 0, tenon.Output(ctx, 2, &bytesItem, each(large))
		})
	}, tenon.WithMaxMessage(64<<10))
	stream := func(in []byte) (err error) {
		for _, err = range tenon.Stream(t.Context(), &pieces, conn, 0, &bytesItem, tenon.InputPort(&bytesItem, each(in))) {
		}
		return err
	}
	for what, call := range map[string]func() error{
		"the arguments":        func() error { _, err := echo.Call(t.Context(), conn, large); return err },
		"the result":           func() error { _, err := echo.Call(t.Context(), conn, nil); return err },
		"an item of the input": func() error { return stream(large) },
		"an item of a result":  func() error { return stream(nil) },
	} {
		if err := call(); !errors.Is(err, tenon.ErrTooLarge) || tenon.CodeOf(err) != tenon.ResourceExhausted {
			t.Errorf("%s: %v", what, err)
		}
	}
}
