package tenon

import (
	"context"
	"fmt"
	"maps"

	"github.com/tinylib/msgp/msgp"
)

type (
	outgoingKey struct{}
	incomingKey struct{}
)

// WithMetadata returns a context whose calls carry md beside their arguments: a
// tenant, a trace. The map must not be changed afterwards. What a handler
// received does not pass into the calls it makes; it decides itself. Its encoded
// size is bounded, by default 64 KiB; above that the call fails and names the
// limit.
func WithMetadata(ctx context.Context, md map[string]string) context.Context {
	return context.WithValue(ctx, outgoingKey{}, md)
}

// MetadataFrom returns the metadata of the call whose handler's context ctx is.
// The map is the handler's own; it is nil when the caller sent none.
func MetadataFrom(ctx context.Context) map[string]string {
	md, _ := ctx.Value(incomingKey{}).(map[string]string)
	return maps.Clone(md)
}

// outgoingMetadata encodes what ctx has for its calls, or returns nil.
func outgoingMetadata(ctx context.Context, limit uint32) ([]byte, error) {
	md, _ := ctx.Value(outgoingKey{}).(map[string]string)
	if len(md) == 0 {
		return nil, nil
	}
	b := msgp.AppendMapHeader(nil, uint32(len(md)))
	for k, v := range md {
		b = msgp.AppendString(msgp.AppendString(b, k), v)
	}
	if uint64(len(b)) > uint64(limit) {
		return nil, &Error{Code: ResourceExhausted, Message: fmt.Sprintf("the metadata has %d bytes, the peer accepts at most %d", len(b), limit)}
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
