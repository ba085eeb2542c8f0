package tenon

import (
	"context"
	"iter"

	"github.com/tenon-go/tenon/codec"
)

// sendAll sends the items of a stream until it ends, with why, or nobody wants
// more of them. sent hears of each, unless it is nil.
func sendAll[T any](ctx context.Context, o *outgoing, codec *Codec[T], seq iter.Seq2[T, error], sent func(*outgoing)) (why, err error) {
	if seq == nil {
		return nil, nil
	}
	to := &itemsOf[T]{ctx: ctx, out: o, codec: codec, alone: codec.UserCode || o.check != nil, sent: sent}
	returned := false
	defer func() {
		if !returned { // it panics, and what was yielded before arrives
			o.breakOff()
			if err := o.flushKept(o.conn.running); err != nil {
				o.conn.sendFailed(err)
			}
		}
	}()
	why, err = to.putAll(seq)
	returned = true
	return why, err
}

// itemsOf is how items of a type get into a stream. It is one value, so that the body
// of the loop over them needs no other: several cost a tenth of what an item does.
type itemsOf[T any] struct {
	ctx   context.Context
	out   *outgoing
	codec *Codec[T]
	alone bool            // none is kept: code of users must not run under a lock
	item  T               // the one that is encoded; here it costs no allocation
	sent  func(*outgoing) // hears of each, or nil
}

func (s *itemsOf[T]) putAll(seq iter.Seq2[T, error]) (why, err error) {
	for item, failure := range seq {
		if failure != nil {
			return failure, nil
		}
		if err := s.put(item); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// put sends one item, or keeps it for the next ones. It waits while the other side is
// behind, until the context ends.
func (s *itemsOf[T]) put(item T) error {
	s.item = item
	kept := false
	if s.alone {
		if err := s.out.attend(s.ctx); err != nil {
			return err
		}
	} else {
		b, err := s.out.begin(s.ctx)
		if err != nil {
			return err
		}
		b = s.codec.Append(b, &s.out.encoder, &s.item)
		if kept, err = s.out.keep(s.ctx, b); err != nil {
			return err
		}
	}
	if !kept {
		if err := s.out.putAlone(s.ctx, s); err != nil {
			return err
		}
	}
	if s.sent != nil {
		s.sent(s.out)
	}
	return nil
}

func (s *itemsOf[T]) appendTo(b []byte, e *codec.Encoder) []byte {
	return s.codec.Append(b, e, &s.item)
}
