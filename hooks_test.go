package tenon_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/inproc"
)

// serve connects a caller to srv.
func serve(t *testing.T, srv *tenon.Server, opts ...tenon.Option) *tenon.Conn {
	t.Helper()
	a, b := inproc.Pair()
	served := make(chan error, 1)
	go func() { served <- srv.ServeLink(context.Background(), b) }()
	conn := tenon.NewConn(t.Context(), a, nil, opts...)
	t.Cleanup(func() {
		conn.Close()
		<-served
	})
	return conn
}

var errTooSmall = errors.New("picture too small")

type sizeError struct{ width int64 }

func (e sizeError) Error() string { return fmt.Sprintf("width %d", e.width) }

func init() {
	tenon.RegisterError("test.errTooSmall", errTooSmall)
	tenon.RegisterErrorType("test.sizeError", tenon.Codec[sizeError]{
		Append: func(b []byte, e *codec.Encoder, v *sizeError) []byte { return codec.AppendInt(b, v.width) },
		Decode: func(d *codec.Decoder, v *sizeError) { v.width = d.Int64() },
	})
}

func TestErrorsKeepTheirIdentity(t *testing.T) {
	srv := tenon.NewServer()
	tenon.Handle(srv, &fail, func(_ context.Context, how string) (string, error) {
		switch how {
		case "sentinel":
			return "", fmt.Errorf("resize: %w", errTooSmall)
		case "type":
			return "", fmt.Errorf("resize: %w", sizeError{7})
		case "joined":
			return "", errors.Join(io.EOF, sizeError{7}, fmt.Errorf("resize: %w", errTooSmall))
		}
		return "", context.DeadlineExceeded
	})
	conn := serve(t, srv)
	_, err := fail.Call(t.Context(), conn, "sentinel")
	if !errors.Is(err, errTooSmall) || !strings.Contains(err.Error(), "resize: picture too small") {
		t.Errorf("sentinel: %v", err)
	}
	_, err = fail.Call(t.Context(), conn, "type")
	var size sizeError
	if !errors.As(err, &size) || size.width != 7 {
		t.Errorf("type: %v", err)
	}
	size = sizeError{}
	_, err = fail.Call(t.Context(), conn, "joined")
	if !errors.Is(err, errTooSmall) || !errors.As(err, &size) || size.width != 7 {
		t.Errorf("of several at once: %v", err)
	}
	if _, err = fail.Call(t.Context(), conn, "deadline"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("deadline: %v", err)
	}
}

func TestMetadataTravelsWithACallAndNotBeyond(t *testing.T) {
	srv := tenon.NewServer()
	tenon.Handle(srv, &fail, func(ctx context.Context, how string) (string, error) {
		md := tenon.MetadataFrom(ctx)
		return fmt.Sprint(len(md), md["tenant"]), nil
	})
	conn := serve(t, srv)
	md := map[string]string{"tenant": "blue", "trace": "1"}
	tenon.OutgoingMetadata(tenon.WithMetadata(t.Context(), md))["tenant"] = "red" // a copy
	more := tenon.OutgoingMetadata(tenon.WithMetadata(t.Context(), md))
	more["user"] = "ann"
	if got, err := fail.Call(tenon.WithMetadata(t.Context(), more), conn, ""); err != nil || got != "3blue" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := fail.Call(tenon.WithMetadata(t.Context(), md), conn, ""); err != nil || got != "2blue" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := fail.Call(t.Context(), conn, ""); err != nil || got != "0" {
		t.Errorf("%q, %v", got, err)
	}
	md["large"] = strings.Repeat("x", 70<<10)
	_, err := fail.Call(tenon.WithMetadata(t.Context(), md), conn, "")
	var e *tenon.Error
	if !errors.As(err, &e) || e.Code != tenon.ResourceExhausted || !e.SafeToRetry || !strings.Contains(err.Error(), "65536") {
		t.Errorf("%v", err)
	}
}

func TestInterceptorsRunInOrderAroundBothSides(t *testing.T) {
	var trail []string
	note := func(name string) tenon.Interceptor {
		return func(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) error {
			trail = append(trail, name+" "+info.Method)
			err := next(ctx)
			trail = append(trail, name+" done")
			return err
		}
	}
	refuse := func(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) error {
		if tenon.MetadataFrom(ctx)["token"] != "secret" {
			return &tenon.Error{Code: tenon.PermissionDenied, Message: "no token"}
		}
		return next(ctx)
	}
	srv := tenon.NewServer(tenon.WithHandlerInterceptor(note("server")), tenon.WithHandlerInterceptor(refuse))
	tenon.Handle(srv, &add, func(_ context.Context, p pair) (int64, error) { return p.a + p.b, nil })
	conn := serve(t, srv, tenon.WithCallInterceptor(note("client")))
	_, err := add.Call(t.Context(), conn, pair{1, 2})
	var e *tenon.Error
	if !errors.As(err, &e) || e.Code != tenon.PermissionDenied {
		t.Errorf("%v", err)
	}
	ctx := tenon.WithMetadata(t.Context(), map[string]string{"token": "secret"})
	if sum, err := add.Call(ctx, conn, pair{1, 2}); err != nil || sum != 3 {
		t.Errorf("%d, %v", sum, err)
	}
	once := "client test.Calc/Add,server test.Calc/Add,server done,client done"
	if got := strings.Join(trail, ","); got != once+","+once {
		t.Error(got)
	}
}

// session is the state of one connection.
type session struct {
	number int64
	closed *atomic.Int64
}

func (s *session) Close() error { s.closed.Add(1); return nil }

func TestStatePerConnection(t *testing.T) {
	var opened, closed atomic.Int64
	srv := tenon.NewServer()
	sessions := tenon.NewPerConn(func(conn *tenon.Conn) (*session, error) {
		if conn == nil {
			return nil, errors.New("no connection")
		}
		return &session{opened.Add(1), &closed}, nil
	})
	tenon.Handle(srv, &add, func(ctx context.Context, p pair) (int64, error) {
		s, err := sessions.For(ctx)
		if err != nil {
			return 0, err
		}
		return s.number, nil
	})
	seen := map[int64]bool{}
	for range 3 {
		conn := serve(t, srv)
		first, err := add.Call(t.Context(), conn, pair{})
		again, err2 := add.Call(t.Context(), conn, pair{})
		if err != nil || err2 != nil || first != again {
			t.Errorf("%d, %v, then %d, %v", first, err, again, err2)
		}
		seen[first] = true
		conn.Close()
	}
	if len(seen) != 3 {
		t.Errorf("sessions %v", maps.Keys(seen))
	}
	eventually(t, "all sessions are closed", func() bool { return closed.Load() == 3 })
	if _, err := sessions.For(t.Context()); err == nil {
		t.Error("a session without a connection")
	}
}

func TestCheckNamesEveryDifference(t *testing.T) {
	conn := serve(t, (&calc{}).server())
	if err := tenon.Check(t.Context(), conn, &add, &echo); err != nil {
		t.Error(err)
	}
	missing := tenon.Method[string, string]{Name: "test.Calc/Missing", Shape: "() ()", Args: textCodec, Result: textCodec}
	other := tenon.Method[string, string]{Name: "test.Calc/Fail", Shape: "(how int) (string)", Args: textCodec, Result: textCodec}
	err := tenon.Check(t.Context(), conn, &missing, &add, &other)
	for _, part := range []string{"test.Calc/Missing", "test.Calc/Fail", "argument how is int here"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not name %s", err, part)
		}
	}
	all := []tenon.AnyMethod{&missing}
	for i, want := range []string{"test.Calc/Missing: ", "test.Calc/Missing and another method: ", "test.Calc/Missing and 2 other methods: "} {
		err := tenon.Check(t.Context(), conn, append(all, &add, &other)...)
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != 2 || !strings.HasPrefix(lines[0], want) || tenon.CodeOf(err) != tenon.Unimplemented {
			t.Errorf("%v; wanted %s", err, want)
		}
		all = append(all, &tenon.Method[string, string]{Name: fmt.Sprint("test.Calc/Missing", i), Shape: "() ()", Args: textCodec, Result: textCodec})
	}
}

func TestMetadataOfAnswers(t *testing.T) {
	srv := tenon.NewServer()
	tenon.Handle(srv, &fail, func(ctx context.Context, how string) (string, error) {
		if how == "large" {
			return "", tenon.SetAnswerMetadata(ctx, map[string]string{"k": strings.Repeat("x", 70<<10)})
		}
		if how == "" {
			return "", nil
		}
		return strings.Repeat(how, 50_000), tenon.SetAnswerMetadata(ctx, map[string]string{"cache": how})
	})
	conn := serve(t, srv)
	var md map[string]string
	ctx := tenon.WithAnswerMetadata(t.Context(), &md)
	if got, err := fail.Call(ctx, conn, "hit"); err != nil || len(got) != 150_000 || md["cache"] != "hit" {
		t.Errorf("%d bytes, %v, %v", len(got), md, err)
	}
	md = nil
	if _, err := fail.Call(ctx, conn, ""); err != nil || md != nil {
		t.Errorf("%v, %v", md, err)
	}
	if _, err := fail.Call(ctx, conn, "large"); err == nil || !strings.Contains(err.Error(), "65536") {
		t.Errorf("%v", err)
	}
	if _, err := fail.Call(t.Context(), conn, "x"); err != nil { // nobody asked
		t.Error(err)
	}
	if err := tenon.SetAnswerMetadata(t.Context(), nil); err == nil {
		t.Error("metadata for an answer outside of a handler")
	}
}

func TestPing(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		conn := connect(t, &calc{}, a, b)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if took, err := conn.Ping(t.Context()); err != nil || took <= 0 {
					t.Errorf("%v, %v", took, err)
				}
			})
		}
		all.Wait()
		conn.Close()
		if _, err := conn.Ping(t.Context()); err == nil {
			t.Error("a sign of life after the end")
		}
	})
	a, b := inproc.Pair() // nobody is there
	defer b.Close()
	conn := tenon.NewConn(t.Context(), a, nil)
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := conn.Ping(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// An infiniteError unwraps to itself, or to ever more of them.
type infiniteError struct{ branches int }

func (e *infiniteError) Error() string { return "no end" }
func (e *infiniteError) Unwrap() []error {
	return slices.Repeat([]error{e}, e.branches)
}

type cyclicError struct{}

func (e *cyclicError) Error() string { return "no end" }
func (e *cyclicError) Unwrap() error { return e }

func TestAnErrorWithoutEndIsAnswered(t *testing.T) {
	srv := tenon.NewServer()
	tenon.Handle(srv, &fail, func(_ context.Context, how string) (string, error) {
		if how == "cycle" {
			return "", &cyclicError{}
		}
		return "", fmt.Errorf("tree: %w", &infiniteError{2})
	})
	conn := serve(t, srv)
	for _, how := range []string{"cycle", "tree"} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		if _, err := fail.Call(ctx, conn, how); err == nil || !strings.Contains(err.Error(), "no end") {
			t.Errorf("%s: %v", how, err)
		}
		cancel()
	}
}

func TestAPingThatHasNoAnswerRanNothing(t *testing.T) {
	a, b := inproc.Pair()
	defer b.Close()
	conn := tenon.NewConn(t.Context(), a, nil)
	conn.Close()
	if _, err := conn.Ping(t.Context()); !tenon.SafeToRetry(err) || strings.Contains(err.Error(), "may have run") {
		t.Error(err)
	}
}
