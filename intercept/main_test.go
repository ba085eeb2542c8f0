package intercept_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/internal/leak"
)

func TestMain(m *testing.M) { os.Exit(leak.Main(m)) }

var text = tenon.Codec[string]{
	Append: func(b []byte, e *codec.Encoder, v *string) []byte { return codec.AppendString(b, e, *v) },
	Decode: func(d *codec.Decoder, v *string) { *v = d.String() },
}

// The contract of the tests: a lookup may be made twice, an order may not.
var (
	lookUp = tenon.Method[string, string]{Name: "shop.Shop/LookUp", Shape: "(what string) (string)", Args: text, Result: text, Idempotent: true}
	order  = tenon.Method[string, string]{Name: "shop.Shop/Order", Shape: "(what string) (string)", Args: text, Result: text}
)

type handler = func(context.Context, string) (string, error)

// shop returns a server with both methods.
func shop(h handler, opts ...tenon.Option) *tenon.Server {
	srv := tenon.NewServer(opts...)
	tenon.Handle(srv, &lookUp, h)
	tenon.Handle(srv, &order, h)
	return srv
}

// through connects a caller to srv, until end is called.
func through(srv *tenon.Server, opts ...tenon.Option) (conn *tenon.Conn, end func()) {
	a, b := inproc.Pair()
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = srv.ServeLink(context.Background(), b)
	}()
	conn = tenon.NewConn(context.Background(), a, nil, opts...)
	return conn, func() {
		conn.Close()
		<-served
	}
}

func connect(t testing.TB, srv *tenon.Server, opts ...tenon.Option) *tenon.Conn {
	conn, end := through(srv, opts...)
	t.Cleanup(end)
	return conn
}

func echo(_ context.Context, what string) (string, error) { return what, nil }

// codeOf returns the code of an error that tenon made, and whether it is safe.
func codeOf(err error) (tenon.Code, bool) {
	var e *tenon.Error
	if !errors.As(err, &e) {
		return 99, false
	}
	return e.Code, e.SafeToRetry
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !met(); time.Sleep(100 * time.Microsecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}
