package tenon_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/codec"
)

// The contract that the tests call: written by hand, as code without the
// generator would be.

type pair struct{ a, b int64 }

var add = tenon.Method[pair, int64]{
	Name: "test.Calc/Add", Shape: "(a int64, b int64) (int64)",
	Args: tenon.Codec[pair]{
		Append: func(b []byte, e *codec.Encoder, v *pair) []byte {
			b = codec.AppendArray(b, e, 2)
			b = codec.AppendInt(b, v.a)
			return codec.AppendInt(b, v.b)
		},
		Decode: func(d *codec.Decoder, v *pair) {
			if d.FixedArray(2) {
				v.a = d.Int64()
				v.b = d.Int64()
			}
		},
	},
	Result: tenon.Codec[int64]{
		Append: func(b []byte, e *codec.Encoder, v *int64) []byte { return codec.AppendInt(b, *v) },
		Decode: func(d *codec.Decoder, v *int64) { *v = d.Int64() },
	},
}

var bytesCodec = tenon.Codec[[]byte]{
	Append: func(b []byte, e *codec.Encoder, v *[]byte) []byte { return codec.AppendBytes(b, e, *v) },
	Decode: func(d *codec.Decoder, v *[]byte) { *v = d.Bytes() },
}

var textCodec = tenon.Codec[string]{
	Append: func(b []byte, e *codec.Encoder, v *string) []byte { return codec.AppendString(b, e, *v) },
	Decode: func(d *codec.Decoder, v *string) { *v = d.String() },
}

var (
	echo   = tenon.Method[[]byte, []byte]{Name: "test.Calc/Echo", Shape: "(p bytes) (bytes)", Args: bytesCodec, Result: bytesCodec}
	length = tenon.Method[[]byte, int64]{Name: "test.Calc/Length", Shape: "(p bytes) (int64)", Args: bytesCodec, Result: add.Result}
	fail   = tenon.Method[string, string]{Name: "test.Calc/Fail", Shape: "(how string) (string)", Args: textCodec, Result: textCodec}
	block  = tenon.Method[string, string]{Name: "test.Calc/Block", Shape: "(what string) (string)", Args: textCodec, Result: textCodec}
	ask    = tenon.Method[string, string]{Name: "test.Calc/Ask", Shape: "(q string) (string)", Args: textCodec, Result: textCodec}
)

// calc is what the serving side of the tests knows of its calls.
type calc struct {
	started  atomic.Int64
	finished atomic.Int64
	canceled atomic.Int64
}

func (k *calc) server() *tenon.Server {
	srv := tenon.NewServer(tenon.WithLogger(quiet))
	k.register(srv)
	return srv
}

func (k *calc) register(srv *tenon.Server) {
	tenon.Handle(srv, &add, func(_ context.Context, p pair) (int64, error) { return p.a + p.b, nil })
	tenon.Handle(srv, &echo, func(_ context.Context, p []byte) ([]byte, error) { return p, nil })
	tenon.Handle(srv, &length, func(_ context.Context, p []byte) (int64, error) { return int64(len(p)), nil })
	tenon.Handle(srv, &fail, func(_ context.Context, how string) (string, error) {
		switch how {
		case "panic":
			panic("on purpose")
		case "nil":
			var p *pair
			return "", errors.New(string(rune(p.a)))
		case "goexit":
			runtime.Goexit()
		case "coded":
			return "", &tenon.Error{Code: tenon.PermissionDenied, Message: "not you", Details: []byte("why")}
		}
		return "", errors.New(how)
	})
	tenon.Handle(srv, &block, func(ctx context.Context, what string) (string, error) {
		k.started.Add(1)
		defer k.finished.Add(1)
		<-ctx.Done()
		k.canceled.Add(1)
		return "", ctx.Err()
	})
	tenon.Handle(srv, &ask, func(ctx context.Context, q string) (string, error) {
		answer, err := ask.Call(ctx, tenon.ConnFrom(ctx), q+"?")
		return answer + "!", err
	})
}

// connect returns the calling end of a connection over the two ends of a link,
// whose other end serves k.
func connect(t testing.TB, k *calc, a, b tenon.Link, opts ...tenon.Option) *tenon.Conn {
	t.Helper()
	back := tenon.NewServer()
	tenon.Handle(back, &ask, func(_ context.Context, q string) (string, error) { return "back:" + q, nil })
	served := make(chan error, 1)
	srv := k.server()
	go func() { served <- srv.ServeLink(context.Background(), b, opts...) }()
	conn := tenon.NewConn(context.Background(), a, back, opts...)
	t.Cleanup(func() {
		conn.Close()
		<-served
	})
	return conn
}
