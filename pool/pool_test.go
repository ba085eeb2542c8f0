package pool_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/pool"
)

// crew starts local members and knows them all.
type crew struct {
	mu   sync.Mutex
	all  []*local
	work func(ctx context.Context) error
}

func (c *crew) start(context.Context) (pool.Member, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := newLocal(fmt.Sprintf("local-%d", len(c.all)), c.work)
	c.all = append(c.all, l)
	return l, nil
}

func (c *crew) members() []*local {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]*local(nil), c.all...)
}

func newPool(t testing.TB, n int, start func(context.Context) (pool.Member, error), opts ...pool.Option) *pool.Pool {
	t.Helper()
	p, err := pool.New(context.Background(), n, start, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// eventually waits for something that other goroutines are about to do.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func TestCallsGoToTheMemberWithTheFewestInFlight(t *testing.T) {
	hold := make(chan struct{})
	c := &crew{work: func(context.Context) error { <-hold; return nil }}
	p := newPool(t, 3, c.start)
	var calls sync.WaitGroup
	for i := range 9 {
		calls.Go(func() {
			if _, err := do.Call(context.Background(), p, ""); err != nil {
				t.Error(err)
			}
		})
		eventually(t, "the call is on its way", func() bool { return p.Stats().Calls == uint64(i+1) })
	}
	for _, m := range p.Stats().Members {
		if m.InFlight != 3 || m.Calls != 3 {
			t.Errorf("%+v", m)
		}
	}
	close(hold)
	calls.Wait()
}

func TestTiesRotate(t *testing.T) {
	c := &crew{work: func(context.Context) error { return nil }}
	p := newPool(t, 4, c.start)
	for range 400 {
		if _, err := do.Call(context.Background(), p, ""); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range c.members() {
		if n := m.calls.Load(); n != 100 {
			t.Errorf("%s had %d calls", m.name, n)
		}
	}
}

func TestConcurrencyIsABoundPerMember(t *testing.T) {
	c := &crew{work: func(context.Context) error { time.Sleep(time.Duration(rand.IntN(100)) * time.Microsecond); return nil }}
	p := newPool(t, 3, c.start, pool.Concurrency(2))
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			for range 100 {
				if _, err := do.Call(context.Background(), p, ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	calls.Wait()
	total := int64(0)
	for _, m := range c.members() {
		total += m.calls.Load()
		if most := m.most.Load(); most > 2 {
			t.Errorf("%s had %d calls at once", m.name, most)
		}
	}
	if total != 2000 {
		t.Errorf("%d calls", total)
	}
}

func TestQueueThatIsFullRefusesReport49(t *testing.T) {
	hold := make(chan struct{})
	c := &crew{work: func(context.Context) error { <-hold; return nil }}
	p := newPool(t, 1, c.start, pool.Concurrency(1), pool.Queue(2))
	var calls sync.WaitGroup
	for range 3 {
		calls.Go(func() {
			if _, err := do.Call(context.Background(), p, ""); err != nil {
				t.Error(err)
			}
		})
	}
	eventually(t, "two calls wait", func() bool { return p.Stats().Waiting == 2 })
	_, err := do.Call(context.Background(), p, "")
	if !errors.Is(err, pool.ErrQueueFull) || !tenon.SafeToRetry(err) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := do.Call(ctx, p, ""); !errors.Is(err, pool.ErrQueueFull) {
		t.Errorf("%v", err)
	}
	if s := p.Stats(); s.Rejected != 2 {
		t.Errorf("%+v", s)
	}
	close(hold)
	calls.Wait()
}

func TestCallerThatGivesUpLosesNoPlaceReport46(t *testing.T) {
	c := &crew{work: func(context.Context) error {
		for range rand.IntN(50) {
			runtime.Gosched()
		}
		return nil
	}}
	p := newPool(t, 2, c.start, pool.Concurrency(1))
	var calls sync.WaitGroup
	for range 16 {
		calls.Go(func() {
			for range 10_000 / 16 {
				ctx, cancel := context.WithCancel(context.Background())
				go cancel()
				_, err := do.Call(ctx, p, "")
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}
		})
	}
	calls.Wait()
	s := p.Stats()
	if s.Waiting != 0 || len(s.Members) != 2 {
		t.Errorf("%+v", s)
	}
	for _, m := range s.Members {
		if m.InFlight != 0 {
			t.Errorf("a place is lost: %+v", m)
		}
	}
	t.Logf("%d of %d callers gave up", s.GaveUp, s.GaveUp+s.Calls)
}

func TestCauseOfTheContextIsInTheErrorOfACallThatWaited(t *testing.T) {
	busy, free := make(chan bool), make(chan bool)
	c := &crew{work: func(context.Context) error { busy <- true; <-free; return nil }}
	p := newPool(t, 1, c.start, pool.Concurrency(1))
	defer close(free)
	go do.Call(context.Background(), p, "")
	<-busy
	left := errors.New("the user has left")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(time.Millisecond, func() { cancel(left) })
	_, err := do.Call(ctx, p, "")
	if !errors.Is(err, context.Canceled) || !errors.Is(err, left) || !strings.Contains(err.Error(), "canceled: the user has left while waiting for one of 1 busy members") {
		t.Error(err)
	}
}

func TestSafeCallsAreSentAgainAndOthersAreNot(t *testing.T) {
	safe := &tenon.Error{Code: tenon.Unavailable, Message: "going", SafeToRetry: true}
	var failures atomic.Int64
	failures.Store(5)
	var failure atomic.Pointer[tenon.Error]
	failure.Store(safe)
	c := &crew{work: func(context.Context) error {
		if failures.Add(-1) >= 0 {
			return failure.Load()
		}
		return nil
	}}
	p := newPool(t, 2, c.start)
	if _, err := do.Call(context.Background(), p, ""); err != nil {
		t.Errorf("%v", err)
	}
	if s := p.Stats(); s.Resent != 5 {
		t.Errorf("%+v", s)
	}
	for _, final := range []*tenon.Error{
		{Code: tenon.Unavailable, Message: "it may have run"},
		{Code: tenon.Unimplemented, Message: "no such method", SafeToRetry: true},
	} {
		failures.Store(1)
		failure.Store(final)
		if _, err := do.Call(context.Background(), p, ""); !errors.Is(err, error(final)) {
			t.Errorf("%v", err)
		}
	}
}

func TestMemberThatEndedIsReplaced(t *testing.T) {
	c := &crew{work: func(context.Context) error { return nil }}
	var exits atomic.Int64
	p := newPool(t, 2, c.start, pool.OnExit(func(pool.Member, error) { exits.Add(1) }))
	if _, err := do.Call(context.Background(), p, ""); err != nil {
		t.Fatal(err)
	}
	c.members()[0].Close()
	eventually(t, "a third member", func() bool { return len(c.members()) == 3 && len(p.Stats().Members) == 2 })
	if s := p.Stats(); s.Ended != 1 || exits.Load() != 1 {
		t.Errorf("%+v", s)
	}
	for range 100 {
		if _, err := do.Call(context.Background(), p, ""); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReplacementsThatFailAreNotTriedWithoutPauseReport13(t *testing.T) {
	var starts atomic.Int64
	broken := errors.New("no licence")
	member := newLocal("only", func(context.Context) error { return nil })
	p := newPool(t, 1, func(context.Context) (pool.Member, error) {
		if starts.Add(1) == 1 {
			return member, nil
		}
		return nil, broken
	})
	member.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	_, err := do.Call(ctx, p, "")
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no licence") || !tenon.SafeToRetry(err) {
		t.Errorf("%v", err)
	}
	if n := starts.Load(); n < 3 || n > 10 {
		t.Errorf("%d starts in 300 ms", n)
	}
	if s := p.Stats(); s.Failed == 0 {
		t.Errorf("%+v", s)
	}
}

func TestStartThatFailsClosesTheOthersReport45(t *testing.T) {
	c := &crew{}
	var starts atomic.Int64
	broken := errors.New("no licence")
	_, err := pool.New(context.Background(), 8, func(ctx context.Context) (pool.Member, error) {
		if starts.Add(1) == 5 {
			return nil, broken
		}
		return c.start(ctx)
	})
	if !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	for _, m := range c.members() {
		<-m.done
	}
}

func TestCloseLetsRunningCallsFinishAndRefusesOthers(t *testing.T) {
	hold := make(chan struct{})
	c := &crew{work: func(context.Context) error { <-hold; return nil }}
	p := newPool(t, 1, c.start, pool.Concurrency(1))
	running, waiting := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := do.Call(context.Background(), p, "")
		running <- err
	}()
	eventually(t, "a call runs", func() bool { return p.Stats().Calls == 1 })
	go func() {
		_, err := do.Call(context.Background(), p, "")
		waiting <- err
	}()
	eventually(t, "a call waits", func() bool { return p.Stats().Waiting == 1 })
	closed := make(chan error, 1)
	go func() { closed <- p.Close() }()
	if err := <-waiting; !errors.Is(err, pool.ErrClosed) {
		t.Errorf("%v", err)
	}
	close(hold)
	if err := <-running; err != nil {
		t.Errorf("%v", err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if _, err := do.Call(context.Background(), p, ""); !errors.Is(err, pool.ErrClosed) {
		t.Errorf("%v", err)
	}
	for _, m := range c.members() {
		<-m.done
	}
}

func TestContextIsTheLifeOfAPool(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &crew{work: func(context.Context) error { return nil }}
	if _, err := pool.New(ctx, 3, c.start); err != nil {
		t.Fatal(err)
	}
	cancel()
	for _, m := range c.members() {
		<-m.done
	}
}

// Members may be connections, here to servers within the process, beside others.
func TestConnectionsAndOthersAreMembers(t *testing.T) {
	srv := tenon.NewServer()
	var served atomic.Int64
	tenon.Handle(srv, &do, func(context.Context, string) (string, error) {
		served.Add(1)
		return "", nil
	})
	var servers sync.WaitGroup
	var starts atomic.Int64
	c := &crew{work: func(context.Context) error { return nil }}
	p := newPool(t, 3, func(ctx context.Context) (pool.Member, error) {
		if starts.Add(1) == 3 {
			return c.start(ctx)
		}
		a, b := inproc.Pair()
		servers.Go(func() { _ = srv.ServeLink(context.Background(), b) })
		return tenon.NewConn(context.Background(), a, nil), nil
	})
	for range 30 {
		if _, err := do.Call(context.Background(), p, ""); err != nil {
			t.Error(err)
		}
	}
	if served.Load() != 20 || c.members()[0].calls.Load() != 10 {
		t.Errorf("%d calls over connections", served.Load())
	}
	_ = p.Close()
	servers.Wait()
}

// Members end at random under load: every call succeeds, since a member that is
// gone refuses safely, and none is lost.
func TestCallsGoOnWhileMembersEndReport47(t *testing.T) {
	c := &crew{work: func(context.Context) error { return nil }}
	p := newPool(t, 4, c.start, pool.Concurrency(2))
	stop := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			all := c.members()
			all[len(all)-1-rand.IntN(4)].Close()
		}
	})
	var calls sync.WaitGroup
	for range 16 {
		calls.Go(func() {
			for range 500 {
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				if _, err := do.Call(ctx, p, ""); err != nil {
					t.Error(err)
				}
				cancel()
			}
		})
	}
	calls.Wait()
	close(stop)
	others.Wait()
	eventually(t, "all places are taken again", func() bool { return len(p.Stats().Members) == 4 })
}

func TestResizeUnderLoadLosesNothingReport51(t *testing.T) {
	c := &crew{work: func(context.Context) error { runtime.Gosched(); return nil }}
	p := newPool(t, 2, c.start, pool.Concurrency(1))
	stop := make(chan struct{})
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := do.Call(context.Background(), p, ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 100 {
		p.Resize(1 + rand.IntN(8))
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
	}
	p.Resize(3)
	close(stop)
	calls.Wait()
	alive := func() (n int) {
		for _, m := range c.members() {
			select {
			case <-m.done:
			default:
				n++
			}
		}
		return n
	}
	eventually(t, "three members are left", func() bool { return len(p.Stats().Members) == 3 && alive() == 3 })
}

func TestCallThroughAPoolAllocatesNothing(t *testing.T) {
	c := &crew{work: func(context.Context) error { return nil }}
	p := newPool(t, 4, c.start, pool.Concurrency(8))
	ctx := context.Background()
	if n := testing.AllocsPerRun(1000, func() { _, _ = do.Call(ctx, p, "") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkInvoke(b *testing.B) {
	c := &crew{work: func(context.Context) error { return nil }}
	for _, n := range []int{1, 2, 4, 16} {
		b.Run(fmt.Sprintf("members=%d", n), func(b *testing.B) {
			p := newPool(b, n, c.start)
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				_, _ = do.Call(ctx, p, "")
			}
		})
	}
	for _, limit := range []int{0, 1} {
		b.Run(fmt.Sprintf("parallel/members=4/limit=%d", limit), func(b *testing.B) {
			p := newPool(b, 4, c.start, pool.Concurrency(limit))
			ctx := context.Background()
			b.SetParallelism(32)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					_, _ = do.Call(ctx, p, "")
				}
			})
		})
	}
	b.Run("without", func(b *testing.B) {
		m, _ := c.start(context.Background())
		ctx := context.Background()
		for b.Loop() {
			_, _ = do.Call(ctx, m, "")
		}
	})
}

// A process that was stopped right after its start has said no hello: calls to it
// end unsent, and would free its place for the next ones.
func TestAMemberThatIsSilentFromTheStartGetsOneCall(t *testing.T) {
	srv := serverOf(func(context.Context, string) (string, error) { return "", nil })
	ours, theirs := inproc.Pair()
	var started atomic.Int64
	p := newPool(t, 2, func(context.Context) (pool.Member, error) {
		if started.Add(1) == 1 {
			return tenon.NewConn(context.Background(), ours, nil), nil
		}
		return pool.Local(srv), nil
	})
	late := 0
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if _, err := do.Call(ctx, p, ""); err != nil {
			late++
		}
		cancel()
	}
	if late > 4 { // one, and what a busy machine delays
		t.Errorf("%d of 20 calls waited for the silent member", late)
	}
	served := make(chan error, 1)
	go func() { served <- srv.ServeLink(context.Background(), theirs) }()
	if err := p.Ready(t.Context()); err != nil { // now it speaks
		t.Error(err)
	}
	_ = p.Close()
	<-served
}
