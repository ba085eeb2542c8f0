package tenon_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/inproc"
)

var (
	bytesItem = tenon.Codec[[]byte]{
		Append: func(b []byte, e *codec.Encoder, v *[]byte) []byte { return codec.AppendBytes(b, e, *v) },
		Decode: func(d *codec.Decoder, v *[]byte) { *v = d.Bytes() },
	}
	// pieces sends back what comes in.
	pieces = tenon.Method[int, int]{Name: "flow.Flow/Pieces", Shape: "(n int, in stream bytes) (stream bytes)", Args: intCodec, Result: intCodec, Ports: 2}
	// both answers with two streams.
	both = tenon.Method[int, int]{Name: "flow.Flow/Both", Shape: "(n int, in stream int) (stream int, stream int)", Args: intCodec, Result: intCodec, Ports: 3}
)

// handling returns the calling end of a connection whose other end has the
// handlers that register registers.
func handling(t testing.TB, a, b tenon.Link, register func(srv *tenon.Server), opts ...tenon.Option) *tenon.Conn {
	t.Helper()
	opts = append(opts, tenon.WithLogger(quiet))
	srv := tenon.NewServer()
	register(srv)
	served := make(chan error, 1)
	go func() { served <- srv.ServeLink(context.Background(), b, opts...) }()
	conn := tenon.NewConn(context.Background(), a, srv, opts...)
	t.Cleanup(func() {
		conn.Close()
		<-served
	})
	return conn
}

func piecesBack(srv *tenon.Server) {
	tenon.Handle(srv, &pieces, func(ctx context.Context, n int) (int, error) {
		return 0, tenon.Output(ctx, 2, &bytesItem, tenon.Input(ctx, 1, &bytesItem))
	})
}

func each[T any](items ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range items {
			if !yield(v, nil) {
				return
			}
		}
	}
}

func TestItemsOfAllSizes(t *testing.T) {
	windows := map[string][]tenon.Option{
		"": nil, "one item": {tenon.WithStreamWindow(1<<20, 1)}, "one byte": {tenon.WithStreamWindow(1, 1<<20)}, "one": {tenon.WithStreamWindow(1, 1)},
	}
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		for name, opts := range windows {
			t.Run(name, func(t *testing.T) {
				a, b := pair()
				conn := handling(t, a, b, piecesBack, opts...)
				var items [][]byte
				for i, size := range []int{0, 1, 100, 1000, 2000, 3000, 4000, 5000, 8000, 8100, 8200, 10_000, 16383, 16384, 16385, 32700, 33000, 65500, 70_000, 300_000, 7} {
					items = append(items, bytes.Repeat([]byte{byte(i)}, size), []byte{1})
				}
				within(t, "the stream", func() {
					at := 0
					for p, err := range tenon.Stream(t.Context(), &pieces, conn, 0, &bytesItem, tenon.InputPort(&bytesItem, each(items...))) {
						if err != nil {
							t.Errorf("item %d of %d bytes: %v", at, len(items[at]), err)
							return
						}
						if !bytes.Equal(p, items[at]) {
							t.Errorf("item %d: %d bytes of %d", at, len(p), len(items[at]))
						}
						at++
					}
					if at != len(items) {
						t.Errorf("%d items of %d", at, len(items))
					}
				})
			})
		}
	})
}

// muted is a link that sends nothing any more when mute is set, and receives.
type muted struct {
	tenon.DirectLink
	mute *atomic.Bool
}

func (l muted) Flush() error {
	if l.mute.Load() {
		return errors.New("sending has failed")
	}
	return l.DirectLink.Flush()
}

func TestWhatCameBeforeSendingFailedIsNotLost(t *testing.T) {
	a, b := inproc.Pair()
	var mute atomic.Bool
	sent, taken := make(chan struct{}), make(chan struct{})
	const n, credit = 12_000, 16 << 10 // half of which is given back on the way
	conn := handling(t, muted{a, &mute}, b, func(srv *tenon.Server) {
		tenon.Handle(srv, &count, func(ctx context.Context, n int) (int, error) {
			return 0, tenon.Output(ctx, 1, &intItem, func(yield func(int, error) bool) {
				upTo(n)(yield)
				close(sent)
				<-taken
			})
		})
	}, tenon.WithStreamWindow(1<<20, credit))
	items := 0
	for v, err := range tenon.Stream(t.Context(), &count, conn, n, &intItem) {
		if err != nil || v != items {
			close(taken)
			t.Fatalf("%d after %d, %v", v, items, err)
		}
		switch items++; items {
		case 1:
			mute.Store(true)
			<-sent
		case credit/2 + 1000:
			close(taken)
		}
	}
	if items != n {
		t.Fatalf("the loop ended in order after %d items", items)
	}
}

func TestCodecThatPanicsLeavesTheConnection(t *testing.T) {
	bad := intItem
	bad.Append = func(b []byte, e *codec.Encoder, v *int) []byte {
		if *v == 2 {
			panic("on purpose")
		}
		return codec.AppendInt(b, int64(*v))
	}
	start := make(chan struct{}, 1)
	a, b := inproc.Pair()
	conn := handling(t, a, b, func(srv *tenon.Server) {
		tenon.Handle(srv, &sum, func(ctx context.Context, n int) (int, error) {
			<-start
			for range tenon.Input(ctx, 1, &intItem) {
			}
			return 0, nil
		})
		tenon.Handle(srv, &add, func(_ context.Context, p pair) (int64, error) { return p.a + p.b, nil })
		tenon.Handle(srv, &count, func(ctx context.Context, n int) (int, error) {
			return 0, tenon.Output(ctx, 1, &bad, upTo(n))
		})
	})
	for range 10 {
		func() {
			defer func() {
				if p := recover(); p != "on purpose" {
					t.Errorf("%v", p)
				}
			}()
			time.AfterFunc(time.Millisecond, func() { start <- struct{}{} })
			sum.Call(t.Context(), conn, 0, tenon.InputPort(&bad, upTo(10)))
		}()
		var failure error
		for _, err := range tenon.Stream(t.Context(), &count, conn, 10, &intItem) {
			failure = err
		}
		if e := (*tenon.Error)(nil); !errors.As(failure, &e) || e.Code != tenon.Panicked {
			t.Errorf("%v", failure)
		}
		within(t, "a call", func() { mayCall(t, conn) })
		within(t, "a ping", func() {
			if _, err := conn.Ping(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

func TestPanicsOfCallsWithSeveralResults(t *testing.T) {
	badArgs := intCodec
	badArgs.Append = func([]byte, *codec.Encoder, *int) []byte { panic("in the arguments") }
	bad := tenon.Method[int, int]{Name: both.Name, Shape: both.Shape, Args: badArgs, Result: intCodec, Ports: 3}
	a, b := inproc.Pair()
	conn := handling(t, a, b, serveBoth)
	r := tenon.Streams(t.Context(), &bad, conn, 0, tenon.InputPort(&intItem, upTo(1)))
	if p := panicOf(func() {
		for v, err := range tenon.StreamOf(r, 2, &intItem) {
			t.Errorf("%d, %v", v, err)
		}
	}); p != "in the arguments" {
		t.Errorf("%v", p)
	}
	// an input that panics must not look like the end of either result
	r = tenon.Streams(t.Context(), &both, conn, 0, tenon.InputPort(&intItem, func(yield func(int, error) bool) {
		yield(1, nil)
		panic("in the input")
	}))
	var loops sync.WaitGroup
	for port := 2; port <= 3; port++ {
		loops.Go(func() {
			var failure error
			p := panicOf(func() {
				for _, err := range tenon.StreamOf(r, port, &intItem) {
					failure = err
				}
			})
			if p != "in the input" && failure == nil {
				t.Errorf("the loop over port %d ended in order", port)
			}
		})
	}
	within(t, "the loops", loops.Wait)
}

// serveBoth sends each item of the input twice: once through each result.
func serveBoth(srv *tenon.Server) {
	tenon.Handle(srv, &both, func(ctx context.Context, n int) (int, error) {
		evens := make(chan int, 1)
		return 0, tenon.Outputs(ctx, tenon.OutputPort(2, &intItem, func(yield func(int, error) bool) {
			defer close(evens)
			for v, err := range tenon.Input(ctx, 1, &intItem) {
				if !yield(v, err) {
					return
				}
				select {
				case evens <- v:
				case <-ctx.Done():
				}
			}
		}), tenon.OutputPort(3, &intItem, func(yield func(int, error) bool) {
			for v := range evens {
				if !yield(v, nil) {
					for range evens {
					}
					return
				}
			}
		}))
	})
}

func TestCancelIsNoticedByStreamsThatNeverWait(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		conn := handling(t, a, b, func(srv *tenon.Server) {
			tenon.Handle(srv, &sum, func(ctx context.Context, n int) (int, error) {
				for range tenon.Input(ctx, 1, &intItem) {
				}
				return 0, nil
			})
			tenon.Handle(srv, &count, func(ctx context.Context, n int) (int, error) {
				return 0, tenon.Output(ctx, 1, &intItem, upTo(n))
			})
		})
		ctx, cancel := context.WithCancel(t.Context())
		sent := 0
		within(t, "the call", func() {
			_, err := sum.Call(ctx, conn, 0, tenon.InputPort(&intItem, func(yield func(int, error) bool) {
				for yield(sent, nil) {
					if sent++; sent == 1000 {
						cancel()
					}
				}
			}))
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		})
		sentAfter := sent - 1000
		ctx, cancel = context.WithCancel(t.Context())
		got := 0
		within(t, "the loop", func() {
			var failure error
			for _, err := range tenon.Stream(ctx, &count, conn, 1<<40, &intItem) {
				if failure = err; err == nil {
					if got++; got == 1000 {
						cancel()
					}
				}
			}
			if !errors.Is(failure, context.Canceled) {
				t.Errorf("%v", failure)
			}
		})
		t.Log(sentAfter, got-1000)
	})
}

func TestItemCutOffAfterTheAnswerGivesItsRoomBack(t *testing.T) {
	a, b := inproc.Pair()
	conn := handling(t, a, b, func(srv *tenon.Server) {
		(&calc{}).register(srv)
		tenon.Handle(srv, &pieces, func(ctx context.Context, n int) (int, error) {
			return 0, tenon.Output(ctx, 2, &bytesItem, nil)
		})
	}, tenon.WithMaxMessage(4<<20), tenon.WithMaxReassembly(4<<20))
	large := make([]byte, 3<<20)
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		for range tenon.Stream(ctx, &pieces, conn, 0, &bytesItem, tenon.InputPort(&bytesItem, func(yield func([]byte, error) bool) {
			time.AfterFunc(200*time.Microsecond, cancel)
			yield(large, nil)
		})) {
		}
		cancel()
		if p, err := echo.Call(t.Context(), conn, large); err != nil || len(p) != len(large) {
			t.Fatalf("%d bytes, %v", len(p), err)
		}
	}
}

func TestStreamsThatAreBrokenOffInTheMiddleOfAnItem(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		conn := handling(t, a, b, func(srv *tenon.Server) {
			(&calc{}).register(srv)
			tenon.Handle(srv, &pieces, func(ctx context.Context, n int) (int, error) {
				if n == 1 { // takes nothing
					<-ctx.Done()
					return 0, ctx.Err()
				}
				large := make([]byte, 4<<20)
				return 0, tenon.Output(ctx, 2, &bytesItem, each([]byte{1}, large, large, large))
			})
		}, tenon.WithMaxMessage(5<<20), tenon.WithMaxReassembly(5<<20))
		large := make([]byte, 4<<20)
		waitFor(t, "a stream", time.Minute, func() {
			for i := range 10 / tenon.Scale {
				ctx, cancel := context.WithCancel(t.Context())
				began := func(yield func([]byte, error) bool) {
					time.AfterFunc(time.Duration(i)*200*time.Microsecond, cancel)
					yield(large, nil)
				}
				for _, err := range tenon.Stream(ctx, &pieces, conn, 1, &bytesItem, tenon.InputPort(&bytesItem, began)) {
					if !errors.Is(err, context.Canceled) {
						t.Errorf("%v", err)
					}
				}
				for range tenon.Stream(t.Context(), &pieces, conn, 0, &bytesItem, tenon.InputPort(&bytesItem, each(large))) {
					break
				}
				if p, err := echo.Call(t.Context(), conn, large); err != nil || len(p) != len(large) {
					t.Errorf("round %d: %d bytes, %v", i, len(p), err)
					return
				}
			}
		})
	})
}

// Items that are kept together for a frame arrive although no other one comes and
// nothing else is sent: in both directions.
func TestKeptItemsArriveWithoutAnother(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		const items = 100
		var arrived chan struct{}
		pausing := func(yield func(int, error) bool) {
			for i := range 20 * items {
				if !yield(i, nil) {
					return
				}
				if i%items == items-1 {
					<-arrived
				}
			}
		}
		take := func(in iter.Seq2[int, error]) (n int, err error) {
			for _, err := range in {
				if err != nil {
					return n, err
				}
				if n++; n%items == 0 {
					arrived <- struct{}{}
				}
			}
			return n, nil
		}
		a, b := pair()
		conn := handling(t, a, b, func(srv *tenon.Server) {
			tenon.Handle(srv, &count, func(ctx context.Context, n int) (int, error) {
				return 0, tenon.Output(ctx, 1, &intItem, pausing)
			})
			tenon.Handle(srv, &sum, func(ctx context.Context, n int) (int, error) {
				return take(tenon.Input(ctx, 1, &intItem))
			})
		})
		arrived = make(chan struct{}, 1)
		within(t, "the result", func() {
			if n, err := take(tenon.Stream(t.Context(), &count, conn, 0, &intItem)); n != 20*items || err != nil {
				t.Error(n, err)
			}
		})
		arrived = make(chan struct{}, 1)
		within(t, "the input", func() {
			if n, err := sum.Call(t.Context(), conn, 0, tenon.InputPort(&intItem, pausing)); n != 20*items || err != nil {
				t.Error(n, err)
			}
		})
	})
}

func TestProgressThatPanicsLeavesTheConnection(t *testing.T) {
	a, b := inproc.Pair()
	conn := handling(t, a, b, func(srv *tenon.Server) { (&calc{}).register(srv); talkServer(srv) }, tenon.WithMaxMessage(8<<20), tenon.WithMaxReassembly(8<<20))
	ctx := tenon.WithProgress(t.Context(), func(tenon.Progress) { panic("in the report") })
	large := make([]byte, 6<<20)
	for range 5 {
		if p := panicOf(func() { echo.Call(ctx, conn, large) }); p != "in the report" {
			t.Fatalf("%v", p)
		}
		if p := panicOf(func() { inM.Call(ctx, conn, plan(reports, 100), tenon.InputPort(&intItem, upTo(100))) }); p != "in the report" {
			t.Fatalf("%v", p)
		}
		if got, err := echo.Call(t.Context(), conn, large); err != nil || len(got) != len(large) {
			t.Fatal(len(got), err)
		}
	}
}
