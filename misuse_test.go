package tenon_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
)

func TestNothingInPlaceOfSomething(t *testing.T) {
	for want, misuse := range map[string]func(){
		"the link is nil":                 func() { tenon.NewConn(t.Context(), nil, nil) },
		"a function that makes links":     func() { tenon.NewClient(nil, nil) },
		"tenon: the link is nil; whateve": func() { tenon.NewClientOver(nil, nil) },
		"the server is nil":               func() { tenon.Handle(nil, &add, func(context.Context, pair) (int64, error) { return 0, nil }) },
		"the function that answers":       func() { tenon.Handle(tenon.NewServer(), &add, nil) },
		"connection's own service is nil": func() { tenon.NewPerConn[int](nil) },
		"//tenon:error name=":             func() { tenon.RegisterError("test.errTooSmall", errTooSmall) },
	} {
		t.Run(want, func(t *testing.T) {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, want) {
					t.Errorf("it panicked with %q", text)
				}
			}()
			misuse()
		})
	}
	if err := tenon.NewServer().ServeLink(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "the link is nil") {
		t.Errorf("ServeLink: %v", err)
	}
	lazy := tenon.NewClient(func(context.Context) (tenon.Link, error) { return nil, nil }, nil)
	defer lazy.Close()
	if _, err := add.Call(t.Context(), lazy, pair{}); err == nil || !strings.Contains(err.Error(), "neither a link nor an error") {
		t.Errorf("a dial without a result: %v", err)
	}
}

func TestUnknownMethodAfterTheEnd(t *testing.T) {
	a, b := inproc.Pair()
	conn := connect(t, &calc{}, a, b)
	missing := tenon.Method[string, string]{Name: "test.Calc/Missing", Shape: "() ()", Args: textCodec, Result: textCodec}
	var e *tenon.Error
	if _, err := missing.Call(t.Context(), conn, ""); !errors.As(err, &e) || e.Code != tenon.Unimplemented {
		t.Fatal(err)
	}
	conn.Close()
	if _, err := missing.Call(t.Context(), conn, ""); !errors.As(err, &e) || e.Code != tenon.Unavailable {
		t.Errorf("%v; it is the connection that is missing", err)
	}
}

func TestTheLogSaysWhoseTokenWasWrong(t *testing.T) {
	var log lockedBuffer
	l, dial := tcp(t)
	logger := tenon.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))
	var from net.Addr
	connect := listen(t, l, func() (net.Conn, error) {
		c, err := dial()
		if err == nil {
			from = c.LocalAddr()
		}
		return c, err
	}, tenon.WithToken("secret"), logger)
	mayNotCall(t, connect(tenon.WithToken("guess")), "the token is missing or wrong")
	eventually(t, "a line about it", func() bool { return strings.Contains(log.String(), "was refused") })
	if !strings.Contains(log.String(), from.String()) || !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("%s; it came from %v", log.String(), from)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
