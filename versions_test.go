package tenon_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/inproc"
)

// list is a codec for a list of numbers: arguments that get longer over time.
var list = tenon.Codec[[]int64]{
	Append: func(b []byte, e *codec.Encoder, v *[]int64) []byte {
		b = codec.AppendArray(b, e, len(*v))
		for _, n := range *v {
			b = codec.AppendInt(b, n)
		}
		return b
	},
	Decode: func(d *codec.Decoder, v *[]int64) {
		for range d.Array() {
			*v = append(*v, d.Int64())
		}
	},
}

// version returns a method whose two sides may have been built at other times.
func version(shape string) *tenon.Method[[]int64, []int64] {
	return &tenon.Method[[]int64, []int64]{Name: "test.Sum/Sum", Shape: shape, Args: list, Result: list}
}

// between connects a caller to a server with another version of the contract.
func between(t *testing.T, theirs string) *tenon.Conn {
	a, b := inproc.Pair()
	srv := tenon.NewServer()
	tenon.Handle(srv, version(theirs), func(_ context.Context, p []int64) ([]int64, error) { return p, nil })
	served := make(chan error, 1)
	go func() { served <- srv.ServeLink(context.Background(), b) }()
	conn := tenon.NewConn(t.Context(), a, nil)
	t.Cleanup(func() {
		conn.Close()
		<-served
	})
	return conn
}

func TestOldAndNewContractMeetReport40(t *testing.T) {
	conn := between(t, "(a int64) (x int64)")
	for range 2 { // the second time from what was learned
		_, err := version("(a string) (x int64)").Call(t.Context(), conn, []int64{1})
		var e *tenon.Error
		if !errors.As(err, &e) || e.Code != tenon.Mismatch || !e.SafeToRetry ||
			!strings.Contains(err.Error(), "argument a is string here and int64 on the other side") {
			t.Errorf("%v", err)
		}
	}
	if got, err := version("(a int) (x int)").Call(t.Context(), conn, []int64{7}); err != nil || got[0] != 7 {
		t.Errorf("int instead of int64: %v, %v", got, err)
	}
}

func TestAppendedArgumentIsNotDroppedSilentlyReport41(t *testing.T) {
	conn := between(t, "(a int64) (x int64)")
	appended := version("(a int64, b int64) (x int64)")
	if _, err := appended.Call(t.Context(), conn, []int64{1, 0}); err != nil {
		t.Errorf("zero: %v", err)
	}
	_, err := appended.Call(t.Context(), conn, []int64{1, 2})
	var e *tenon.Error
	if !errors.As(err, &e) || e.Code != tenon.Mismatch || !e.SafeToRetry || !strings.Contains(err.Error(), "argument b") {
		t.Errorf("not zero: %v", err)
	}
}

func TestManyCallersLearnOneShape(t *testing.T) {
	conn := between(t, "(a int64) (x int64)")
	m := version("(a int) (x int)")
	results := make(chan error)
	for range 50 {
		go func() {
			_, err := m.Call(t.Context(), conn, []int64{7})
			results <- err
		}()
	}
	for range 50 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

func TestServicesRegisteredLaterAreAnnounced(t *testing.T) {
	srv := tenon.NewServer()
	conn := serve(t, srv)
	var e *tenon.Error
	if _, err := add.Call(t.Context(), conn, pair{1, 2}); !errors.As(err, &e) || e.Code != tenon.Unimplemented {
		t.Fatalf("%v", err)
	}
	tenon.Handle(srv, &echo, func(_ context.Context, p []byte) ([]byte, error) { return p, nil })
	tenon.Handle(srv, &add, func(_ context.Context, p pair) (int64, error) { return p.a + p.b, nil })
	eventually(t, "the announcement arrives", func() bool {
		sum, err := add.Call(t.Context(), conn, pair{1, 2})
		return err == nil && sum == 3
	})
	tenon.Handle(srv, &add, func(_ context.Context, p pair) (int64, error) { return p.a * p.b, nil })
	eventually(t, "a handler is replaced", func() bool {
		product, err := add.Call(t.Context(), conn, pair{3, 4})
		return err == nil && product == 12
	})
	offers, err := conn.Offers(t.Context())
	if err != nil || len(offers) != 2 || offers[0].Name != "test.Calc/Add" || offers[0].Shape != add.Shape {
		t.Errorf("%v, %v", offers, err)
	}
}
