package pool_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/pool"
)

// The streams of the tests' contract.
var (
	number = tenon.Codec[int]{
		Append: func(b []byte, e *codec.Encoder, v *int) []byte { return codec.AppendInt(b, int64(*v)) },
		Decode: func(d *codec.Decoder, v *int) { *v = d.Int() },
	}
	count = tenon.Method[string, string]{ // n numbers; without n they do not end
		Name: "test.Pool/Count", Shape: "(n string) (stream int)", Args: text, Result: text, Ports: 1,
	}
	total = tenon.Method[string, string]{
		Name: "test.Pool/Total", Shape: "(order string, in stream int) (string)", Args: text, Result: text, Ports: 1,
	}
	consult = tenon.Method[string, string]{ // asks the function
		Name: "test.Pool/Consult", Shape: "(question string, f func(string) (string)) (string)", Args: text, Result: text, Ports: 1,
	}
	consultF = tenon.Method[string, string]{Name: "test.Pool/Consult.f", Args: text, Result: text}
)

// flow counts the handlers that run.
type flow struct{ running, most atomic.Int64 }

func (f *flow) enter() func() {
	n := f.running.Add(1)
	for most := f.most.Load(); n > most && !f.most.CompareAndSwap(most, n); most = f.most.Load() {
	}
	return func() { f.running.Add(-1) }
}

func (f *flow) register(srv *tenon.Server) {
	tenon.Handle(srv, &count, func(ctx context.Context, order string) (string, error) {
		defer f.enter()()
		n := -1
		_, _ = fmt.Sscan(order, &n)
		return "", tenon.Output(ctx, 1, &number, func(yield func(int, error) bool) {
			for i := 0; i != n; i++ {
				if !yield(i, nil) {
					return
				}
			}
		})
	})
	tenon.Handle(srv, &total, func(ctx context.Context, order string) (string, error) {
		defer f.enter()()
		sum := 0
		for v, err := range tenon.Input(ctx, 1, &number) {
			if err != nil {
				return "", err
			}
			sum += v
			tenon.ReportProgress(ctx, int64(sum), 0, order)
		}
		return fmt.Sprint(sum), nil
	})
	tenon.Handle(srv, &consult, func(ctx context.Context, question string) (string, error) {
		return consultF.Call(ctx, tenon.Func(ctx, 1), question)
	})
}

func (f *flow) start(context.Context) (pool.Member, error) {
	srv := tenon.NewServer()
	f.register(srv)
	return pool.Local(srv), nil
}

func upTo(n int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
	}
}

func inFlight(p *pool.Pool) (n int) {
	for _, m := range p.Stats().Members {
		n += m.InFlight
	}
	return n
}

func TestAStreamHasItsPlaceUntilItsHandlerHasEnded(t *testing.T) {
	f := new(flow)
	p := newPool(t, 1, f.start, pool.Concurrency(1))
	got := 0
	for v, err := range tenon.Stream(t.Context(), &count, p, "1000", &number) {
		if err != nil || v != got {
			t.Fatalf("%d: %d, %v", got, v, err)
		}
		if got++; inFlight(p) != 1 {
			t.Fatal("the stream goes on without its place")
		}
	}
	if got != 1000 {
		t.Errorf("%d numbers", got)
	}
	eventually(t, "the place is free", func() bool { return inFlight(p) == 0 })

	// The handler of a loop that was left takes its time.
	hold := make(chan struct{})
	srv := tenon.NewServer()
	tenon.Handle(srv, &count, func(ctx context.Context, _ string) (string, error) {
		err := tenon.Output(ctx, 1, &number, upTo(1))
		<-ctx.Done()
		<-hold
		return "", err
	})
	slow := newPool(t, 1, func(context.Context) (pool.Member, error) { return pool.Local(srv), nil }, pool.Concurrency(1))
	for range tenon.Stream(t.Context(), &count, slow, "", &number) {
		break
	}
	if n := inFlight(slow); n != 1 {
		t.Errorf("%d calls in flight, one handler runs", n)
	}
	close(hold)
	eventually(t, "the place is free", func() bool { return inFlight(slow) == 0 })
}

// Loops are left, contexts end and inputs break off at random moments, while their
// calls wait, are handed over or run.
func TestCallersOfStreamsThatGiveUpLoseNoPlaceReport46(t *testing.T) {
	leak.Check(t)
	f := new(flow)
	p := newPool(t, 2, f.start, pool.Concurrency(1))
	broken := errors.New("no more")
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for range 250 {
				ctx, cancel := context.WithCancel(context.Background())
				after, left := time.Duration(rand.IntN(200))*time.Microsecond, rand.IntN(50)
				switch rand.IntN(4) {
				case 0:
					time.AfterFunc(after, cancel)
					for _, err := range tenon.Stream(ctx, &count, p, "", &number) {
						if err != nil && !errors.Is(err, context.Canceled) {
							t.Error(err)
						}
					}
				case 1:
					for range tenon.Stream(ctx, &count, p, "", &number) {
						if left--; left < 0 {
							break
						}
					}
				case 2:
					time.AfterFunc(after, cancel)
					if _, err := total.Call(ctx, p, "", tenon.InputPort(&number, upTo(10_000))); err != nil && !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
				case 3:
					in := func(yield func(int, error) bool) { _ = yield(1, nil) && yield(0, broken) }
					if _, err := total.Call(ctx, p, "", tenon.InputPort(&number, in)); err == nil || !strings.Contains(err.Error(), broken.Error()) {
						t.Error(err)
					}
				}
				cancel()
			}
		})
	}
	callers.Wait()
	eventually(t, "every place is free", func() bool { return inFlight(p) == 0 })
	if s := p.Stats(); s.Waiting != 0 || len(s.Members) != 2 || s.Ended != 0 {
		t.Errorf("%+v", s)
	}
	if most := f.most.Load(); most > 2 {
		t.Errorf("%d handlers at once in two exclusive members", most)
	}
}

func TestProgressThroughAPool(t *testing.T) {
	p := newPool(t, 2, new(flow).start)
	var last tenon.Progress
	ctx := tenon.WithProgress(t.Context(), func(now tenon.Progress) { last = now })
	if sum, err := total.Call(ctx, p, "adding", tenon.InputPort(&number, upTo(100))); err != nil || sum != "4950" {
		t.Error(sum, err)
	}
	if last.Done != 4950 || last.Text != "adding" || last.Sent == 0 {
		t.Errorf("%+v", last)
	}
}

// What has to leave waits for a stream, and not for ever.
func TestStreamsOfMembersThatLeaveAreWaitedForAndThenEnded(t *testing.T) {
	for name, c := range map[string]struct {
		leave func(p *pool.Pool)
		want  string
	}{
		"Resize": {func(p *pool.Pool) { p.Resize(1) }, "the pool was made smaller, and the call did not end within 200ms"},
		"Close":  {func(p *pool.Pool) { go p.Close() }, "the pool was closed, and the call did not end in time"},
		"Stop": {func(p *pool.Pool) {
			ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
			go func() { defer cancel(); _ = p.Stop(ctx) }()
		}, "the pool was closed, and the call did not end in time"},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			p := newPool(t, 2, new(flow).start, pool.Concurrency(1), pool.Grace(200*time.Millisecond))
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			ended := make(chan error, 2)
			for range 2 {
				go func() {
					for _, err := range tenon.Stream(ctx, &count, p, "", &number) {
						if err != nil {
							ended <- err
						}
					}
				}()
			}
			eventually(t, "both run", func() bool { return inFlight(p) == 2 })
			began := time.Now()
			c.leave(p)
			err := <-ended
			var e *tenon.Error
			if !errors.As(err, &e) || e.Message != c.want || e.SafeToRetry || e.Peer != "local" {
				t.Errorf("%v", err)
			}
			if took := time.Since(began); took < 100*time.Millisecond {
				t.Errorf("it was waited for %v only", took)
			}
			cancel() // with Resize the other one goes on
			<-ended
		})
	}
}

func TestAMemberThatLeavesWaitsForItsStream(t *testing.T) {
	p := newPool(t, 2, new(flow).start, pool.Concurrency(1))
	leave := time.After(50 * time.Millisecond)
	n := 0
	closed := make(chan error, 1)
	for _, err := range tenon.Stream(t.Context(), &count, p, "", &number) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 1 {
			go func() { closed <- p.Close() }()
			<-leave
		}
		if n == 10_000 {
			break
		}
	}
	if err := <-closed; err != nil || n != 10_000 {
		t.Errorf("%d numbers, %v", n, err)
	}
}

// A call whose input was begun is not sent again, another one is.
func TestInputsThatWereBegunAreNotSentAgain(t *testing.T) {
	for _, begun := range []bool{false, true} {
		t.Run(fmt.Sprint("begun: ", begun), func(t *testing.T) {
			refused := make(chan struct{})
			var calls atomic.Int64
			srv := tenon.NewServer(tenon.WithHandlerInterceptor(
				func(ctx context.Context, _ *tenon.CallInfo, next func(context.Context) error) error {
					if calls.Add(1) > 1 {
						return next(ctx)
					}
					defer time.AfterFunc(20*time.Millisecond, func() { close(refused) })
					return &tenon.Error{Code: tenon.Unavailable, Message: "going", SafeToRetry: true}
				}))
			new(flow).register(srv)
			p := newPool(t, 2, func(context.Context) (pool.Member, error) { return pool.Local(srv), nil })
			var sent []int // by attempts
			in := func(yield func(int, error) bool) {
				sent = append(sent, 0)
				if len(sent) == 1 && !begun {
					<-refused
					return // nothing was taken that could be lost
				}
				for i := 1; i <= 10 && yield(i, nil); i++ {
					if sent[len(sent)-1]++; len(sent) == 1 && i == 1 {
						<-refused
					}
				}
			}
			got, err := total.Call(t.Context(), p, "", tenon.InputPort(&number, in))
			if begun {
				if !tenon.SafeToRetry(err) || len(sent) != 1 || p.Stats().Resent != 0 {
					t.Errorf("%q, %v; it was sent %v", got, err, sent)
				}
			} else if err != nil || got != "55" || len(sent) != 2 || p.Stats().Resent != 1 {
				t.Errorf("%q, %v; it was sent %v", got, err, sent)
			}
		})
	}
}

// A function of a call to a pool of one calls that pool, and so do the functions
// of that.
func TestFunctionsThatCallTheirPoolReport50(t *testing.T) {
	p := newPool(t, 1, new(flow).start, pool.Concurrency(1))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	depth := 0
	var ask func(ctx context.Context, question string) (string, error)
	ask = func(ctx context.Context, question string) (string, error) {
		if depth++; depth == 50 {
			return "why not", nil
		}
		return consult.Call(ctx, p, question, tenon.FuncPort(&consultF, ask))
	}
	if answer, err := consult.Call(ctx, p, "why", tenon.FuncPort(&consultF, ask)); err != nil || answer != "why not" {
		t.Errorf("%q at depth %d, %v", answer, depth, err)
	}
	eventually(t, "the place is free", func() bool { return inFlight(p) == 0 })
}

// A stream's handler in a pool of one ranges over a stream of its pool, which does
// the same.
func TestStreamHandlersThatCallTheirPoolReport50(t *testing.T) {
	var p *pool.Pool
	srv := tenon.NewServer()
	tenon.Handle(srv, &count, func(ctx context.Context, order string) (string, error) {
		depth := len(order)
		return "", tenon.Output(ctx, 1, &number, func(yield func(int, error) bool) {
			if !yield(depth, nil) || depth == 50 {
				return
			}
			for v, err := range tenon.Stream(ctx, &count, p, order+"+", &number) {
				if !yield(v, err) {
					return
				}
			}
		})
	})
	p = newPool(t, 1, func(context.Context) (pool.Member, error) { return pool.Local(srv), nil }, pool.Concurrency(1))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	next := 0
	for v, err := range tenon.Stream(ctx, &count, p, "", &number) {
		if err != nil || v != next {
			t.Fatalf("%d: %d, %v", next, v, err)
		}
		next++
	}
	if next != 51 {
		t.Errorf("%d numbers", next)
	}
}
