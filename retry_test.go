package tenon_test

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/inproc"
)

// TestSafeToRetry has a case for every row of PROTOCOL.md's table.
func TestSafeToRetry(t *testing.T) {
	open := make(chan struct{})
	var started atomic.Int64
	srv := holding(open, &started)
	tenon.Handle(srv, &fail, func(_ context.Context, how string) (string, error) { return "", errors.New(how) })
	tenon.Handle(srv, &echo, func(_ context.Context, p []byte) ([]byte, error) { return p, nil })

	broken := tenon.Codec[string]{
		Append: func(b []byte, e *codec.Encoder, v *string) []byte { e.Fail(errors.New("no")); return b },
		Decode: textCodec.Decode,
	}
	garbage := tenon.Codec[string]{
		Append: func(b []byte, e *codec.Encoder, v *string) []byte { return append(b, 0xc1) },
		Decode: textCodec.Decode,
	}
	for _, c := range []struct {
		row  string
		safe bool
		call func(t *testing.T, conn *tenon.Conn) error
	}{
		{"the arguments could not be encoded", true, func(t *testing.T, conn *tenon.Conn) error {
			m := tenon.Method[string, string]{Name: fail.Name, Shape: fail.Shape, Args: broken, Result: textCodec}
			_, err := m.Call(t.Context(), conn, "x")
			return err
		}},
		{"or are above the peer's limit", true, func(t *testing.T, conn *tenon.Conn) error {
			_, err := echo.Call(t.Context(), conn, bytes.Repeat([]byte("x"), 2<<20))
			return err
		}},
		{"the context ended before the first byte was published", true, func(t *testing.T, conn *tenon.Conn) error {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := fail.Call(ctx, conn, "x")
			return err
		}},
		{"or the connection", true, func(t *testing.T, conn *tenon.Conn) error {
			conn.Close()
			_, err := fail.Call(t.Context(), conn, "x")
			return err
		}},
		{"the error frame has refused: unknown method", true, func(t *testing.T, conn *tenon.Conn) error {
			m := tenon.Method[string, string]{Name: "test.Calc/Nothing", Shape: fail.Shape, Args: textCodec, Result: textCodec}
			_, err := m.Call(t.Context(), conn, "x")
			return err
		}},
		{"the error frame has refused: arguments that cannot be decoded", true, func(t *testing.T, conn *tenon.Conn) error {
			m := tenon.Method[string, string]{Name: fail.Name, Shape: fail.Shape, Args: garbage, Result: textCodec}
			_, err := m.Call(t.Context(), conn, "x")
			return err
		}},
		{"the error frame does not have it", false, func(t *testing.T, conn *tenon.Conn) error {
			_, err := fail.Call(t.Context(), conn, "x")
			return err
		}},
		{"the call was published, then the connection ended", false, func(t *testing.T, conn *tenon.Conn) error {
			before := started.Load()
			result := make(chan error, 1)
			go func() {
				_, err := hold.Call(context.Background(), conn, "x")
				result <- err
			}()
			eventually(t, "the handler runs", func() bool { return started.Load() > before })
			conn.Close()
			return <-result
		}},
		{"the call was published, then its context ended", false, func(t *testing.T, conn *tenon.Conn) error {
			before := started.Load()
			ctx, cancel := context.WithCancel(t.Context())
			result := make(chan error, 1)
			go func() {
				_, err := hold.Call(ctx, conn, "x")
				result <- err
			}()
			eventually(t, "the handler runs", func() bool { return started.Load() > before })
			cancel()
			return <-result
		}},
	} {
		t.Run(c.row, func(t *testing.T) {
			a, b := inproc.Pair()
			served := make(chan error, 1)
			go func() { served <- srv.ServeLink(context.Background(), b, tenon.WithMaxMessage(1<<20)) }()
			conn := tenon.NewConn(t.Context(), a, nil)
			if _, err := conn.Ping(t.Context()); err != nil {
				t.Fatal(err)
			}
			err := c.call(t, conn)
			var e *tenon.Error
			if !errors.As(err, &e) || e.SafeToRetry != c.safe || tenon.SafeToRetry(err) != c.safe {
				t.Errorf("%v; safe should be %v", err, c.safe)
			}
			conn.Close()
			<-served
		})
	}
	close(open)
	eventually(t, "nothing is left", func() bool { return len(srv.Conns()) == 0 })
}
