package tenon_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/codec"
)

// touchy is a codec that runs code of users, which does what the value says.
var touchy = tenon.Codec[string]{
	UserCode: true,
	Append: func(b []byte, e *codec.Encoder, v *string) []byte {
		switch *v {
		case "panic":
			panic("in a marshaler")
		case "exit":
			runtime.Goexit()
		}
		return codec.AppendString(b, e, *v)
	},
	Decode: func(d *codec.Decoder, v *string) { *v = d.String() },
}

type badError struct{}

func (badError) Error() string { panic("in Error") }

func TestPanicsAroundAHandlerStayInTheirCallReport36(t *testing.T) {
	m := tenon.Method[string, string]{Name: "test.Touchy/Do", Shape: "(how string) (string)", Args: textCodec, Result: touchy}
	srv := tenon.NewServer(tenon.WithLogger(quiet))
	tenon.Handle(srv, &m, func(_ context.Context, how string) (string, error) {
		switch how {
		case "nil error":
			var e *tenon.Error
			return "", e
		case "bad error":
			return "", badError{}
		}
		return how, nil
	})
	conn := serve(t, srv)
	for how, want := range map[string]string{
		"panic": "in a marshaler", "exit": "Goexit", "nil error": "nil *tenon.Error", "bad error": "in Error",
	} {
		if _, err := m.Call(t.Context(), conn, how); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", how, err)
		}
		if got, err := m.Call(t.Context(), conn, "fine"); err != nil || got != "fine" {
			t.Errorf("after %s: %q, %v", how, got, err)
		}
	}
}

func TestPanicWhileEncodingArgumentsTakesNoPlace(t *testing.T) {
	m := tenon.Method[string, string]{Name: "test.Calc/Fail", Shape: fail.Shape, Args: touchy, Result: textCodec}
	conn := serve(t, (&calc{}).server(), tenon.WithMaxCalls(4))
	for range 20_000 {
		func() {
			defer func() {
				if recover() == nil {
					t.Fatal("no panic")
				}
			}()
			m.Call(t.Context(), conn, "panic")
		}()
	}
	if _, err := m.Call(t.Context(), conn, "plain"); err == nil || !strings.Contains(err.Error(), "plain") {
		t.Errorf("%v", err)
	}
}

func TestErrIsThereWhenACallHasFailed(t *testing.T) {
	for range 200 {
		srv := (&calc{}).server()
		conn := serve(t, srv)
		mayCall(t, conn)
		go srv.Close()
		var err error
		for err == nil {
			_, err = add.Call(t.Context(), conn, pair{1, 2})
		}
		var e *tenon.Error
		if errors.As(err, &e) && strings.Contains(e.Message, "closed the connection") && conn.Err() == nil {
			t.Fatalf("%v, but Err is nil", err)
		}
	}
}

func TestErrorHookSeesAndMasksEverything(t *testing.T) {
	var seen []string
	srv := tenon.NewServer(tenon.WithLogger(quiet), tenon.WithErrorHook(func(_ context.Context, info *tenon.CallInfo, err error) error {
		var p *tenon.PanicError
		if errors.As(err, &p) {
			if len(p.Stack) == 0 {
				t.Error("a panic without its stack")
			}
			seen = append(seen, "panic "+info.Method)
			return nil
		}
		seen = append(seen, err.Error())
		if err.Error() == "hook" {
			panic("in the hook")
		}
		return &tenon.Error{Code: tenon.PermissionDenied, Message: "masked"}
	}))
	tenon.Handle(srv, &fail, func(_ context.Context, how string) (string, error) {
		if how == "panic" {
			panic("x")
		}
		return "", errors.New(how)
	})
	conn := serve(t, srv)
	for how, want := range map[string]string{"secret path": "masked", "panic": "panicked: x", "hook": "the call failed"} {
		if _, err := fail.Call(t.Context(), conn, how); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", how, err)
		}
	}
	if len(seen) != 3 {
		t.Errorf("%q", seen)
	}
}
