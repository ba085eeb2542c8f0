package tenon

import (
	"context"
	"iter"

	"github.com/tenon-go/tenon/codec"
)

// Stream returns the stream that m, whose one result is a stream, answers with.
// Each time it is ranged over the method is called; the loop's end is the end of
// the call: break tells the other side. The first error is final and comes once.
// Items belong to whoever gets them.
func Stream[A, R, T any](ctx context.Context, m *Method[A, R], c Caller, args A, codec *Codec[T], ports ...Port) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		m.mustCall(ctx, c)
		own := &talk{args: ports, outputs: 1}
		detached, release := own.detach(ctx)
		defer release()
		loop := newLoop(ctx, codec, yield)
		own.result = loop
		t := m.take(args)
		t.call.Talk = own
		if _, err := t.give(c.Invoke(detached, &t.call)); err != nil && !loop.left {
			var none T
			yield(none, err)
		}
	}
}

// A loopOf takes items on behalf of a loop.
type loopOf[T any] struct {
	ctx     context.Context
	codec   *Codec[T]
	yield   func(T, error) bool
	decoder codec.Decoder
	value   T
	before  bool // ctx ended with the call, and these items came before that
	left    bool // the loop wants no more
}

func newLoop[T any](ctx context.Context, codec *Codec[T], yield func(T, error) bool) *loopOf[T] {
	ctx.Done() // from now on a timer watches the deadline of a handler's context: its Err is quick
	return &loopOf[T]{ctx: ctx, codec: codec, yield: yield}
}

func (l *loopOf[T]) take(c chunk) (more bool, err error) {
	if c.owned {
		l.decoder.ResetOwned(c.data)
	} else {
		l.decoder.Reset(c.data)
	}
	for range c.items {
		clear1(&l.value)
		l.codec.Decode(&l.decoder, &l.value)
		if l.decoder.Err() != nil {
			break
		}
		if l.codec.Validate != nil {
			if err := l.codec.Validate(&l.value); err != nil {
				return false, invalid(err)
			}
		}
		if l.ctx.Err() != nil && !l.before {
			if context.Cause(l.ctx) != errInputsOver {
				return false, contextError(l.ctx.Err())
			}
			l.before = true
		}
		if !l.yield(l.value, nil) {
			l.left = true
			return false, nil
		}
	}
	err = l.decoder.Finish()
	l.decoder.Reset(nil)
	c.release()
	if err != nil {
		return false, &Error{Code: InvalidResult, Message: "an item cannot be decoded: " + err.Error(), cause: err}
	}
	return true, nil
}
