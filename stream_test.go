package tenon_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/inproc"
)

var (
	intCodec = tenon.Codec[int]{
		Append: func(b []byte, e *codec.Encoder, v *int) []byte {
			return codec.AppendInt(codec.AppendArray(b, e, 1), int64(*v))
		},
		Decode: func(d *codec.Decoder, v *int) {
			if d.FixedArray(1) {
				*v = d.Int()
			}
		},
	}
	intItem = tenon.Codec[int]{
		Append: func(b []byte, e *codec.Encoder, v *int) []byte { return codec.AppendInt(b, int64(*v)) },
		Decode: func(d *codec.Decoder, v *int) { *v = d.Int() },
	}
	count  = tenon.Method[int, int]{Name: "flow.Flow/Count", Shape: "(n int) (stream int)", Args: intCodec, Result: intCodec, Ports: 1}
	sum    = tenon.Method[int, int]{Name: "flow.Flow/Sum", Shape: "(n int, in stream int) (int)", Args: intCodec, Result: intCodec, Ports: 1}
	double = tenon.Method[int, int]{Name: "flow.Flow/Double", Shape: "(n int, in stream int) (stream int)", Args: intCodec, Result: intCodec, Ports: 2}
	asked  = tenon.Method[int, int]{Name: "flow.Flow/Ask", Shape: "(n int, f func(int) (int)) (int)", Args: intCodec, Result: intCodec, Ports: 1}
	askF   = tenon.Method[int, int]{Name: "flow.Flow/Ask.f", Args: intCodec, Result: intCodec}
)

func upTo(n int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
	}
}

func flowServer(opts ...tenon.Option) *tenon.Server {
	srv := tenon.NewServer(opts...)
	tenon.Handle(srv, &count, func(ctx context.Context, n int) (int, error) {
		return 0, tenon.Output(ctx, 1, &intItem, func(yield func(int, error) bool) {
			for i := range n {
				if !yield(i, nil) {
					return
				}
			}
			if n == 13 {
				yield(0, errors.New("thirteen"))
			}
		})
	})
	tenon.Handle(srv, &sum, func(ctx context.Context, n int) (int, error) {
		total := 0
		for v, err := range tenon.Input(ctx, 1, &intItem) {
			if err != nil {
				return 0, err
			}
			if total += v; n > 0 && total > n {
				break
			}
		}
		return total, nil
	})
	tenon.Handle(srv, &double, func(ctx context.Context, n int) (int, error) {
		return 0, tenon.Output(ctx, 2, &intItem, func(yield func(int, error) bool) {
			for v, err := range tenon.Input(ctx, 1, &intItem) {
				if !yield(2*v, err) {
					return
				}
			}
		})
	})
	tenon.Handle(srv, &asked, func(ctx context.Context, n int) (int, error) {
		f := tenon.Func(ctx, 1)
		if f == nil {
			return -1, nil
		}
		total := 0
		for i := range n {
			v, err := askF.Call(ctx, f, i)
			if err != nil {
				return 0, err
			}
			total += v
			tenon.ReportProgress(ctx, int64(i+1), int64(n), fmt.Sprint(i))
		}
		return total, nil
	})
	return srv
}

func TestStreams(t *testing.T) {
	for name, pair := range links(t) {
		t.Run(name, func(t *testing.T) {
			a, b := pair()
			ctx := t.Context()
			go flowServer().ServeLink(ctx, b)
			conn := tenon.NewConn(ctx, a, nil)
			defer conn.Close()

			for _, n := range []int{0, 1, 5, 100_000 / tenon.Scale} {
				next := 0
				for v, err := range tenon.Stream(ctx, &count, conn, n, &intItem) {
					if err != nil || v != next {
						t.Fatalf("%d: %d, %v", next, v, err)
					}
					next++
				}
				if next != n {
					t.Fatalf("%d items of %d", next, n)
				}
				got, err := sum.Call(ctx, conn, 0, tenon.InputPort(&intItem, upTo(n)))
				if err != nil || got != n*(n-1)/2 {
					t.Fatalf("sum of %d: %d, %v", n, got, err)
				}
				next = 0
				for v, err := range tenon.Stream(ctx, &double, conn, n, &intItem, tenon.InputPort(&intItem, upTo(n))) {
					if err != nil || v != 2*next {
						t.Fatalf("%d: %d, %v", next, v, err)
					}
					next++
				}
				if next != n {
					t.Fatalf("%d items of %d", next, n)
				}
			}
			items := 0
			for _, err := range tenon.Stream(ctx, &count, conn, 13, &intItem) {
				if err != nil {
					if items != 13 || err.Error() != "flow.Flow/Count: thirteen" {
						t.Fatal(items, err)
					}
				} else {
					items++
				}
			}
			for range tenon.Stream(ctx, &count, conn, 1_000_000_000, &intItem) {
				break
			}
			if got, err := sum.Call(ctx, conn, 1000, tenon.InputPort(&intItem, upTo(1<<40))); err != nil || got < 1000 {
				t.Fatal(got, err)
			}
			if got, err := asked.Call(ctx, conn, 3, tenon.FuncPort[int, int](&askF, nil)); got != -1 || err != nil {
				t.Fatal(got, err)
			}
			var last tenon.Progress
			got, err := asked.Call(tenon.WithProgress(ctx, func(p tenon.Progress) { last = p }), conn, 10,
				tenon.FuncPort(&askF, func(_ context.Context, i int) (int, error) { return i * i, nil }))
			if got != 285 || err != nil || last.Done != 10 {
				t.Fatal(got, err, last)
			}
		})
	}
}

// The progress of a call counts the bytes of all its inputs, to the last one, whoever
// ranges over them.
func TestProgressCountsInputs(t *testing.T) {
	a, b := inproc.Pair()
	conn := handling(t, a, b, readers)
	const n, bytes = 100, 100 // one each
	var last tenon.Progress
	ctx := tenon.WithProgress(t.Context(), func(p tenon.Progress) {
		if p.Sent < last.Sent {
			t.Errorf("%d bytes after %d", p.Sent, last.Sent)
		}
		last = p
	})
	for range tenon.Stream(ctx, &double, conn, 0, &intItem, tenon.InputPort(&intItem, upTo(n))) {
	}
	if last.Sent != bytes || last.Received < bytes {
		t.Errorf("beside a result: %+v", last)
	}
	last = tenon.Progress{}
	if _, err := zip.Call(ctx, conn, 0, tenon.InputPort(&intItem, upTo(n)), tenon.InputPort(&intItem, upTo(n))); err != nil || last.Sent != 2*bytes {
		t.Errorf("of two: %+v, %v", last, err)
	}
}

// Small reads cost small allocations, and each piece has memory of its own.
func TestReadStreamAllocatesWhatWasRead(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var got [][]byte
	for p, err := range tenon.ReadStream(iotest.OneByteReader(strings.NewReader(strings.Repeat("0123456789", 100)))) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p)
	}
	runtime.ReadMemStats(&after)
	if text := bytes.Join(got, nil); len(got) != 1000 || string(text) != strings.Repeat("0123456789", 100) {
		t.Errorf("%d pieces: %q", len(got), text)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes were allocated for 1000", n)
	}
	large := make([]byte, 300_000)
	for i := range large {
		large[i] = byte(i % 251)
	}
	got = nil
	for p := range tenon.ReadStream(bytes.NewReader(large)) {
		got = append(got, p)
	}
	if !bytes.Equal(bytes.Join(got, nil), large) {
		t.Error("pieces share memory")
	}
}

func BenchmarkStreams(b *testing.B) {
	for name, pair := range links(b) {
		ours, theirs := pair()
		go flowServer().ServeLink(b.Context(), theirs)
		conn := tenon.NewConn(b.Context(), ours, nil)
		b.Run("out/"+name, func(b *testing.B) {
			for range tenon.Stream(b.Context(), &count, conn, b.N, &intItem) {
			}
		})
		b.Run("in/"+name, func(b *testing.B) {
			if _, err := sum.Call(b.Context(), conn, 0, tenon.InputPort(&intItem, upTo(b.N))); err != nil {
				b.Fatal(err)
			}
		})
		conn.Close()
	}
}
