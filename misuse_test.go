package tenon_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/internal/wire"
)

// noContext is what a caller passes who forgot his context.
var noContext context.Context

func TestNothingInPlaceOfSomething(t *testing.T) {
	for want, misuse := range map[string]func(){
		"the link is nil":                 func() { tenon.NewConn(t.Context(), nil, nil) },
		"a function that makes links":     func() { tenon.NewClient(nil, nil) },
		"tenon: the link is nil; whateve": func() { tenon.NewClientOver(nil, nil) },
		"the server is nil":               func() { tenon.Handle(nil, &add, func(context.Context, pair) (int64, error) { return 0, nil }) },
		"the function that answers":       func() { tenon.Handle(tenon.NewServer(), &add, nil) },
		"connection's own service is nil": func() { tenon.NewPerConn[int](nil) },
		"an option is nil":                func() { tenon.NewClient(func(context.Context) (tenon.Link, error) { return nil, nil }, nil, nil) },
		"an interceptor is nil":           func() { tenon.WithCallInterceptor(nil) },
		"test.Calc/Add is called through": func() { _, _ = add.Call(t.Context(), nil, pair{}) },
		"is called without a context":     func() { _, _ = add.Call(noContext, &tenon.Client{}, pair{}) },
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
	odd := []tenon.Option{tenon.WithPolling(-1), tenon.WithMaxCalls(-5), tenon.WithMaxReassembly(-1), tenon.WithMaxMessage(-1), tenon.WithStreamWindow(-1, -1)}
	here, there := inproc.Pair()
	mayCall(t, connect(t, &calc{}, here, there, odd...))
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

// Whoever is at the other end by mistake: both sides say so, at once.
func TestStrangersAreKnown(t *testing.T) {
	older := wire.Header{Kind: wire.Hello, Arg: wire.Version - 1}.Append(nil)
	older = append(older, wire.Greeting{}.Append(nil)...)
	wire.SetSize(older)
	for name, c := range map[string]struct{ bytes, want string }{
		"HTTP":         {"POST /rpc HTTP/2.0\r\nHost: example.org\r\n\r\n", "does not speak tenon's protocol"},
		"TLS":          {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("\x5a", 600), "does not speak tenon's protocol"},
		"SSH":          {"SSH-2.0-OpenSSH_9.9\r\n", "does not speak tenon's protocol"},
		"zeros":        {strings.Repeat("\x00", 64), "does not speak tenon's protocol"},
		"random bytes": {string(randomBytes(rand.New(rand.NewPCG(1, 2)), 4096)), "does not speak tenon's protocol"},
		"older":        {string(older), fmt.Sprintf("version %d of the protocol", wire.Version-1)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, serving := range []bool{false, true} {
				a, b := inproc.Pair()
				if err := b.Send([]byte(c.bytes)); err != nil {
					t.Fatal(err)
				}
				var err error
				if serving {
					err = (&calc{}).server().ServeLink(t.Context(), a)
				} else {
					conn := tenon.NewConn(t.Context(), a, nil)
					defer conn.Close()
					_, err = add.Call(t.Context(), conn, pair{1, 2})
					if !tenon.SafeToRetry(err) {
						t.Errorf("nothing ran, but %v", err)
					}
				}
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("serving %v: %v; want %q", serving, err, c.want)
				}
				b.Close()
			}
		})
	}
}
