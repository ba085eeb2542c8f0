package tenon_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/inproc"
)

// infos keeps what an interceptor knew of each call when it was over.
type infos []tenon.CallInfo

func (s *infos) keep(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) error {
	err := next(ctx)
	*s = append(*s, *info)
	return err
}

func TestInterceptorsOfBothSidesCountTheSameBytes(t *testing.T) {
	var here, there infos
	srv := tenon.NewServer(tenon.WithHandlerInterceptor(there.keep))
	tenon.Handle(srv, &fail, func(_ context.Context, text string) (string, error) {
		if text == "no" {
			return "", errors.New("no")
		}
		return text + text, nil
	})
	conn := serve(t, srv, tenon.WithCallInterceptor(here.keep), tenon.WithPeerName("the voice"))
	ctx := tenon.WithMetadata(t.Context(), map[string]string{"tenant": "blue"}) // does not count
	for _, n := range []int{1, 1000, 100_000} {
		text := strings.Repeat("x", n)
		if got, err := fail.Call(ctx, conn, text); err != nil || got != text+text {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
		a, b := here[len(here)-1], there[len(there)-1]
		if a.SentBytes < int64(n) || a.SentBytes > int64(n)+16 || a.ReceivedBytes < int64(2*n) || a.ReceivedBytes > int64(2*n)+16 {
			t.Errorf("%d: %+v", n, a)
		}
		if a.SentBytes != b.ReceivedBytes || a.ReceivedBytes != b.SentBytes {
			t.Errorf("%d: %+v here, %+v on the other side", n, a, b)
		}
		if a.Method != "test.Calc/Fail" || a.Conn != conn || a.Peer != "the voice" || a.Serving {
			t.Errorf("%+v", a)
		}
		if b.Method != a.Method || b.Conn == nil || b.Conn == conn || !b.Serving {
			t.Errorf("%+v", b)
		}
	}
	if _, err := fail.Call(ctx, conn, "no"); err == nil || here[3].ReceivedBytes != 0 || there[3].SentBytes != 0 {
		t.Errorf("%v, %+v", err, here[3])
	}
}

func TestInterceptorsCallAgainOrNotAtAll(t *testing.T) {
	attempts := func(n int) tenon.Interceptor {
		return func(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) (err error) {
			for range n {
				err = next(ctx)
			}
			return err
		}
	}
	sum := tenon.Method[[]int64, []int64]{Name: "test.Sum/Sum", Shape: "(a int64) (x int64)", Args: list, Result: list}
	for _, c := range []struct{ here, there, runs int }{{1, 1, 1}, {3, 1, 3}, {1, 3, 3}, {2, 2, 4}, {0, 1, 0}, {1, 0, 0}} {
		runs := 0
		srv := tenon.NewServer(tenon.WithHandlerInterceptor(attempts(c.there)))
		tenon.Handle(srv, &sum, func(_ context.Context, a []int64) ([]int64, error) {
			runs++
			return append(a, int64(runs)), nil
		})
		conn := serve(t, srv, tenon.WithCallInterceptor(attempts(c.here)))
		got, err := sum.Call(t.Context(), conn, []int64{7})
		want := fmt.Sprint([]int64{7, int64(c.runs)})
		if c.runs == 0 {
			want = "[]"
		}
		if err != nil || fmt.Sprint(got) != want || runs != c.runs {
			t.Errorf("%+v: %v, %v after %d runs", c, got, err, runs)
		}
	}
}

func TestAnInterceptorRefusesWhatIsSafeToRetry(t *testing.T) {
	var calls int
	guard := func(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) error {
		calls++
		if calls == 3 {
			if err := next(ctx); err != nil {
				return err
			}
		}
		return fmt.Errorf("at the door: %w", &tenon.Error{Code: tenon.ResourceExhausted, Message: "full", SafeToRetry: calls != 2})
	}
	srv := tenon.NewServer(tenon.WithHandlerInterceptor(guard))
	tenon.Handle(srv, &add, func(_ context.Context, p pair) (int64, error) { return p.a + p.b, nil })
	conn := serve(t, srv)
	for n, safe := range []bool{true, false, false} { // asked for, not asked for, and the handler ran
		_, err := add.Call(t.Context(), conn, pair{1, 2})
		var e *tenon.Error
		if !errors.As(err, &e) || e.Code != tenon.ResourceExhausted || e.SafeToRetry != safe || !strings.Contains(err.Error(), "at the door: ") {
			t.Errorf("call %d: safe %v, %v", n, tenon.SafeToRetry(err), err)
		}
	}
}

// refusingCodec refuses bad things.
var refusingCodec = tenon.Codec[string]{
	Append: func(b []byte, e *codec.Encoder, v *string) []byte {
		if *v == "bad result" {
			e.Fail(errors.New("bad"))
		}
		return textCodec.Append(b, e, v)
	},
	Decode: func(d *codec.Decoder, v *string) {
		if textCodec.Decode(d, v); *v == "bad arguments" {
			d.Fail(errors.New("bad"))
		}
	},
}

func TestHandlerInterceptorsSeeWhatTheCodecsRefuse(t *testing.T) {
	var seen []string
	srv := tenon.NewServer(tenon.WithHandlerInterceptor(func(ctx context.Context, _ *tenon.CallInfo, next func(context.Context) error) error {
		err := next(ctx)
		seen = append(seen, fmt.Sprint(err))
		return err
	}))
	refusing := tenon.Method[string, string]{Name: "test.Calc/Strict", Shape: fail.Shape, Args: refusingCodec, Result: refusingCodec}
	runs := 0
	tenon.Handle(srv, &refusing, func(_ context.Context, how string) (string, error) { runs++; return how, nil })
	conn := serve(t, srv)
	asking := tenon.Method[string, string]{Name: refusing.Name, Shape: fail.Shape, Args: textCodec, Result: textCodec}
	_, err := asking.Call(t.Context(), conn, "bad arguments")
	var e *tenon.Error
	if !errors.As(err, &e) || e.Code != tenon.InvalidArgument || !e.SafeToRetry {
		t.Errorf("%v", err)
	}
	_, err = asking.Call(t.Context(), conn, "bad result")
	if !errors.As(err, &e) || e.Code != tenon.InvalidResult || e.SafeToRetry {
		t.Errorf("%v", err)
	}
	if len(seen) != 2 || runs != 1 || !strings.Contains(seen[0], "arguments cannot be decoded") || !strings.Contains(seen[1], "result cannot be encoded") {
		t.Errorf("%d runs, %q", runs, seen)
	}
}

func TestInterceptAnyCaller(t *testing.T) {
	conn := serve(t, (&calc{}).server(), tenon.WithPeerName("the calculator"))
	var inner, outer infos
	caller := tenon.Intercept(tenon.Intercept(conn, inner.keep), outer.keep)
	if sum, err := add.Call(t.Context(), caller, pair{1, 2}); err != nil || sum != 3 {
		t.Errorf("%d, %v", sum, err)
	}
	if sum, err := add.Start(t.Context(), caller, pair{1, 2}).Wait(); err != nil || sum != 3 {
		t.Errorf("%d, %v", sum, err)
	}
	if len(inner) != 2 || len(outer) != 2 || inner[0].Conn != conn || outer[0] != inner[0] || outer[0].SentBytes == 0 {
		t.Errorf("%+v inside of %+v", inner, outer)
	}
	if err := tenon.Check(t.Context(), caller, &add); err != nil || len(inner) != 2 {
		t.Errorf("%v: a check is no call", err)
	}
	refuse := func(context.Context, *tenon.CallInfo, func(context.Context) error) error {
		return &tenon.Error{Code: tenon.PermissionDenied, Message: "not today"}
	}
	_, err := add.Call(t.Context(), tenon.Intercept(conn, refuse), pair{1, 2})
	if err == nil || err.Error() != "test.Calc/Add: not today [the calculator]" {
		t.Error(err)
	}
	wrap := func(ctx context.Context, _ *tenon.CallInfo, next func(context.Context) error) error {
		return fmt.Errorf("in the shop: %w", next(ctx))
	}
	_, err = fail.Call(t.Context(), tenon.Intercept(conn, wrap), "")
	var e *tenon.Error
	if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), "in the shop: test.Calc/Fail: ") {
		t.Error(err)
	}
}

func TestTheInterceptorsOfAServerAreThoseOfItsHandlersEverywhere(t *testing.T) {
	refuse := func(context.Context, *tenon.CallInfo, func(context.Context) error) error {
		return &tenon.Error{Code: tenon.PermissionDenied, Message: "no"}
	}
	var reviewed int
	review := func(_ context.Context, _ *tenon.CallInfo, err error) error { reviewed++; return err }
	var seen infos
	back := tenon.NewServer(tenon.WithHandlerInterceptor(refuse), tenon.WithErrorHook(review))
	tenon.Handle(back, &add, func(context.Context, pair) (int64, error) { return 0, nil })
	for name, caller := range map[string]func(tenon.Link) func(){
		"a connection": func(l tenon.Link) func() {
			conn := tenon.NewConn(t.Context(), l, back, tenon.WithHandlerInterceptor(seen.keep))
			return func() { conn.Close() }
		},
		"a client": func(l tenon.Link) func() {
			c := tenon.NewClient(func(context.Context) (tenon.Link, error) { return l, nil }, back)
			if _, err := c.Conn(t.Context()); err != nil {
				t.Error(err)
			}
			return func() { c.Close() }
		},
		"a client over a link": func(l tenon.Link) func() {
			c := tenon.NewClientOver(l, back)
			if _, err := c.Conn(t.Context()); err != nil {
				t.Error(err)
			}
			return func() { c.Close() }
		},
	} {
		a, b := inproc.Pair()
		conn := tenon.NewConn(t.Context(), b, nil) // clients wait for its hello
		end := caller(a)
		before := reviewed
		_, err := add.Call(t.Context(), conn, pair{1, 2})
		var e *tenon.Error
		if !errors.As(err, &e) || e.Code != tenon.PermissionDenied || reviewed != before+1 {
			t.Errorf("%s: %v, reviewed %d times", name, err, reviewed-before)
		}
		end()
		conn.Close()
		<-conn.Done()
	}
	if len(seen) != 0 {
		t.Error("the connection's own interceptors run inside of the server's")
	}
}

func TestInterceptorsOfStreams(t *testing.T) {
	var here, there infos
	twice := func(ctx context.Context, _ *tenon.CallInfo, next func(context.Context) error) error {
		first := next(ctx)
		if again := next(ctx); again != first {
			return fmt.Errorf("%w, and then %w", first, again)
		}
		return first
	}
	flow := flowServer(tenon.WithHandlerInterceptor(there.keep), tenon.WithHandlerInterceptor(twice))
	conn := serve(t, flow, tenon.WithCallInterceptor(here.keep), tenon.WithCallInterceptor(twice))
	const n = 1000
	next := 0
	for v, err := range tenon.Stream(t.Context(), &double, conn, 0, &intItem, tenon.InputPort(&intItem, upTo(n))) {
		if err != nil || v != 2*next {
			t.Fatalf("%d: %d, %v", next, v, err)
		}
		next++
	}
	a, b := here[0], there[0]
	if next != n || len(here) != 1 || len(there) != 1 || !a.Streams || !b.Streams || !a.Spent || !b.Spent ||
		a.SentItems != n || a.ReceivedItems != n || b.SentItems != n || b.ReceivedItems != n ||
		a.SentBytes != b.ReceivedBytes || a.ReceivedBytes != b.SentBytes || a.SentBytes < n {
		t.Errorf("%d items, %+v here, %+v there", next, here, there)
	}
	here, there = nil, nil
	for _, err := range tenon.Stream(t.Context(), &count, conn, 13, &intItem) {
		if err != nil && err.Error() != "flow.Flow/Count: thirteen" {
			t.Error(err)
		}
	}
}

func TestInterceptorsOfFunctions(t *testing.T) {
	var here, there infos
	srv := flowServer(tenon.WithHandlerInterceptor(there.keep), tenon.WithCallInterceptor(there.keep))
	conn := serve(t, srv, tenon.WithHandlerInterceptor(here.keep), tenon.WithCallInterceptor(here.keep))
	f := tenon.FuncPort(&askF, func(_ context.Context, i int) (int, error) { return i, nil })
	if got, err := asked.Call(t.Context(), conn, 2, f); err != nil || got != 1 {
		t.Fatalf("%d, %v", got, err)
	}
	for side, list := range map[bool]infos{true: here, false: there} {
		if len(list) != 3 {
			t.Fatalf("%d calls", len(list))
		}
		for i, info := range list {
			of := i < 2 // the functions end before their call
			name := map[bool]string{true: askF.Name, false: asked.Name}[of]
			if info.Function != of || info.Serving != (of == side) || info.Method != name {
				t.Errorf("%d: %+v", i, info)
			}
		}
	}
}
