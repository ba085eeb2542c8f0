package tenon

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/tinylib/msgp/msgp"
)

type (
	outgoingKey struct{}
	incomingKey struct{}
	answerKey   struct{}
)

// WithMetadata returns a context whose calls carry md beside their arguments: a
// tenant, a trace. The map must not be changed afterwards. What a handler
// received does not pass into the calls it makes; it decides itself. Its encoded
// size is bounded, by default 64 KiB; above that the call fails and names the
// limit.
func WithMetadata(ctx context.Context, md map[string]string) context.Context {
	return context.WithValue(ctx, outgoingKey{}, md)
}

// OutgoingMetadata returns the metadata that calls with ctx carry, for those who
// add to it; nil for none. The map is the caller's own.
func OutgoingMetadata(ctx context.Context) map[string]string {
	md, _ := ctx.Value(outgoingKey{}).(map[string]string)
	return maps.Clone(md)
}

// MetadataFrom returns the metadata of the call whose handler's context ctx is.
// The map is the handler's own; it is nil when the caller sent none.
func MetadataFrom(ctx context.Context) map[string]string {
	md, _ := ctx.Value(incomingKey{}).(map[string]string)
	return maps.Clone(md)
}

// SetAnswerMetadata sends md with the answer of the call whose handler's context
// ctx is, if that succeeds; the last call counts. It fails outside of a handler,
// and above the caller's limit, by default 64 KiB encoded.
func SetAnswerMetadata(ctx context.Context, md map[string]string) error {
	s, _ := ctx.Value(answerKey{}).(*callContext)
	if s == nil {
		return errors.New("tenon: SetAnswerMetadata outside of a handler")
	}
	b, err := encodeMetadata(md, s.conn.peer.limits.Metadata)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answerMetadata = b
	return nil
}

// WithAnswerMetadata returns a context for one call, which fills in md with what
// the handler set for its answer before the call returns.
func WithAnswerMetadata(ctx context.Context, md *map[string]string) context.Context {
	return context.WithValue(ctx, answerKey{}, md)
}

// giveMetadata gives the metadata of an answer to who asked for it.
func giveMetadata(ctx context.Context, encoded []byte) error {
	into, _ := ctx.Value(answerKey{}).(*map[string]string)
	if into == nil {
		return nil
	}
	md, err := parseMetadata(encoded)
	if err != nil {
		return &Error{Code: InvalidResult, Message: "the answer's metadata cannot be read: " + err.Error(), cause: err}
	}
	*into = md
	return nil
}

// outgoingMetadata encodes what ctx has for its calls, or returns nil.
func outgoingMetadata(ctx context.Context, limit uint32) ([]byte, error) {
	md, _ := ctx.Value(outgoingKey{}).(map[string]string)
	return encodeMetadata(md, limit)
}

func encodeMetadata(md map[string]string, limit uint32) ([]byte, error) {
	if len(md) == 0 {
		return nil, nil
	}
	b := msgp.AppendMapHeader(nil, uint32(len(md)))
	for k, v := range md {
		b = msgp.AppendString(msgp.AppendString(b, k), v)
	}
	if uint64(len(b)) > uint64(limit) {
		return nil, &Error{Code: ResourceExhausted, cause: ErrTooLarge, Message: fmt.Sprintf("the metadata has %d bytes, the peer accepts at most %d", len(b), limit)}
	}
	return b, nil
}

func parseMetadata(b []byte) (map[string]string, error) {
	n, b, err := msgp.ReadMapHeaderBytes(b)
	if err != nil {
		return nil, err
	}
	md := make(map[string]string, min(int(n), len(b)/2))
	for range n {
		var k, v string
		if k, b, err = msgp.ReadStringBytes(b); err != nil {
			return nil, err
		}
		if v, b, err = msgp.ReadStringBytes(b); err != nil {
			return nil, err
		}
		md[k] = v
	}
	return md, nil
}
