package nats

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/nats-io/nats.go"

	"github.com/tenon-go/tenon/benchmarks/contract"
)

// A feed publishes a message per item to a subscription, which is how NATS has
// streams: nothing holds the publisher back. An empty message is the end. Streams
// are read to their end.
type feed struct{ conn *nats.Conn }

func (f feed) Items(ctx context.Context, n int) iter.Seq2[contract.Item, error] {
	return receive(ctx, f.conn, "feed.items", n, decodeJSON[contract.Item])
}

func (f feed) Users(ctx context.Context, n int) iter.Seq2[contract.User, error] {
	return receive(ctx, f.conn, "feed.users", n, decodeJSON[contract.User])
}

func (f feed) Pieces(ctx context.Context, n int) iter.Seq2[[]byte, error] {
	return receive(ctx, f.conn, "feed.pieces", n, func(b []byte) ([]byte, error) { return b, nil })
}

func (f feed) Collect(ctx context.Context, items iter.Seq2[contract.Item, error]) (n int, err error) {
	if err := publish(items, encodeJSON, func(b []byte) error { return f.conn.Publish("feed.collect", b) }); err != nil {
		return 0, err
	}
	err = natsClient(f).call(ctx, "feed.collect", nil, &n)
	return n, err
}

func (f feed) Exchange(ctx context.Context, items iter.Seq2[contract.Item, error]) iter.Seq2[contract.Item, error] {
	return subscribe(ctx, f.conn, decodeJSON[contract.Item], func(inbox string) error {
		send := func(b []byte) error { return f.conn.PublishRequest("feed.exchange", inbox, b) }
		go func() { // it ends before the loop does, which waits for the last item
			if publish(items, encodeJSON, send) == nil {
				_ = send(nil)
			}
		}()
		return nil
	})
}

func receive[T any](ctx context.Context, conn *nats.Conn, subject string, n int, decode func([]byte) (T, error)) iter.Seq2[T, error] {
	return subscribe(ctx, conn, decode, func(inbox string) error {
		count, err := json.Marshal(n)
		if err != nil {
			return err
		}
		return conn.PublishRequest(subject, inbox, count)
	})
}

// subscribe has begin send what goes to an inbox and ranges over that. The loop's
// body runs on the subscription's goroutine, while the caller's waits.
func subscribe[T any](ctx context.Context, conn *nats.Conn, decode func([]byte) (T, error), begin func(inbox string) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		over := make(chan struct{})
		left := false
		inbox := conn.NewInbox()
		sub, err := conn.Subscribe(inbox, func(m *nats.Msg) {
			if left {
				return
			}
			if len(m.Data) == 0 {
				left = true
			} else {
				v, err := decode(m.Data)
				left = !yield(v, err) || err != nil
			}
			if left {
				close(over)
			}
		})
		var none T
		if err != nil {
			yield(none, err)
			return
		}
		defer func() { _ = sub.Unsubscribe() }()
		// Without limits: else items of a fast publisher are dropped.
		if err := errors.Join(sub.SetPendingLimits(-1, -1), begin(inbox)); err != nil {
			yield(none, err)
			return
		}
		select {
		case <-over:
		case <-ctx.Done(): // the body has ended when its item has; nobody looks at its error
		}
	}
}

func publish[T any](seq iter.Seq2[T, error], encode func(*T) ([]byte, error), send func([]byte) error) error {
	for v, err := range seq {
		if err != nil {
			return err
		}
		b, err := encode(&v)
		if err != nil {
			return err
		}
		if err := send(b); err != nil {
			return err
		}
	}
	return nil
}

func encodeJSON[T any](v *T) ([]byte, error) { return json.Marshal(v) }

func decodeJSON[T any](b []byte) (v T, err error) {
	err = json.Unmarshal(b, &v)
	return v, err
}

// subscribeFeed serves the streams.
func subscribeFeed(conn *nats.Conn) error {
	ctx, local := context.Background(), contract.Local{}
	var collected int
	collect, err1 := conn.Subscribe("feed.collect", func(m *nats.Msg) {
		if len(m.Data) == 0 {
			respondJSON(m, collected, nil)
			collected = 0
		} else if item, err := decodeJSON[contract.Item](m.Data); err == nil && item.ID == contract.ItemAt(collected).ID {
			collected++ // else the count is wrong
		}
	})
	exchange, err2 := conn.Subscribe("feed.exchange", func(m *nats.Msg) {
		b := m.Data
		if item, err := decodeJSON[contract.Item](b); err == nil {
			b, _ = encodeJSON(&item)
		}
		_ = m.Respond(b)
	})
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	return errors.Join(
		collect.SetPendingLimits(-1, -1),
		exchange.SetPendingLimits(-1, -1),
		serve(conn, "feed.items", encodeJSON, func(n int) iter.Seq2[contract.Item, error] { return local.Items(ctx, n) }),
		serve(conn, "feed.users", encodeJSON, func(n int) iter.Seq2[contract.User, error] { return local.Users(ctx, n) }),
		serve(conn, "feed.pieces", func(b *[]byte) ([]byte, error) { return *b, nil }, func(n int) iter.Seq2[[]byte, error] { return local.Pieces(ctx, n) }),
	)
}

func serve[T any](conn *nats.Conn, subject string, encode func(*T) ([]byte, error), stream func(n int) iter.Seq2[T, error]) error {
	_, err := conn.Subscribe(subject, func(m *nats.Msg) {
		n, err := decodeJSON[int](m.Data)
		if err == nil {
			err = publish(stream(n), encode, m.Respond)
		}
		if err == nil {
			_ = m.Respond(nil)
		}
	})
	return err
}
