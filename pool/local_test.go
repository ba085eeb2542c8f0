package pool_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/pool"
)

// serverOf answers every call with f.
func serverOf(f func(ctx context.Context, order string) (string, error)) *tenon.Server {
	srv := tenon.NewServer()
	tenon.Handle(srv, &do, f)
	return srv
}

func locals(f func(ctx context.Context, order string) (string, error)) func(context.Context) (pool.Member, error) {
	srv := serverOf(f)
	return func(context.Context) (pool.Member, error) { return pool.Local(srv), nil }
}

// A call that its caller gave up occupies its member until its handler has ended,
// whatever the handler thinks of its context.
func TestCallThatWasGivenUpKeepsItsPlaceUntilItsHandlerEnds(t *testing.T) {
	var running, most atomic.Int64
	hold := make(chan struct{})
	p := newPool(t, 1, locals(func(_ context.Context, order string) (string, error) {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		if order == "hold" {
			<-hold
		}
		return "", nil
	}), pool.Concurrency(1))

	ctx, cancel := context.WithCancel(context.Background())
	gaveUp := make(chan error, 1)
	go func() {
		_, err := do.Call(ctx, p, "hold")
		gaveUp <- err
	}()
	eventually(t, "the handler runs", func() bool { return running.Load() == 1 })
	cancel()
	if err := <-gaveUp; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if n := p.Stats().Members[0].InFlight; n != 1 {
		t.Errorf("%d calls in flight, one handler runs", n)
	}
	late := make(chan error, 1)
	go func() {
		_, err := do.Call(context.Background(), p, "")
		late <- err
	}()
	eventually(t, "the next call waits", func() bool { return p.Stats().Waiting == 1 })
	close(hold)
	if err := <-late; err != nil {
		t.Error(err)
	}
	if n := most.Load(); n != 1 {
		t.Errorf("%d handlers at once in an exclusive member", n)
	}
	eventually(t, "the place is free", func() bool { return p.Stats().Members[0].InFlight == 0 })
}

func TestPlaceOfACallThatWasGivenUpEndsWithItsMember(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	p := newPool(t, 1, locals(func(_ context.Context, order string) (string, error) {
		if order == "hold" {
			<-hold
		}
		return "", nil
	}), pool.Concurrency(1), pool.Grace(50*time.Millisecond))
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := do.Call(ctx, p, "hold"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if err := p.Close(); err != nil { // the keeper waits for the seat to be empty
		t.Error(err)
	}
}

// A handler of a local member calls its own pool, with one exclusive member.
func TestCallOfAPoolInsideALocalMemberReport50(t *testing.T) {
	var p *pool.Pool
	p = newPool(t, 1, locals(func(ctx context.Context, order string) (string, error) {
		if rest, more := strings.CutPrefix(order, "ask "); more {
			return do.Call(ctx, p, rest)
		}
		return order, nil
	}), pool.Concurrency(1))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if got, err := do.Call(ctx, p, "ask ask ask why"); got != "why" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestClientsAreMembers(t *testing.T) {
	srv := serverOf(func(context.Context, string) (string, error) { return "here", nil })
	p := newPool(t, 2, func(context.Context) (pool.Member, error) {
		return tenon.NewClient(func(context.Context) (tenon.Link, error) {
			a, b := inproc.Pair()
			go srv.ServeLink(context.Background(), b)
			return a, nil
		}, nil), nil
	})
	for range 10 {
		if got, err := do.Call(context.Background(), p, ""); got != "here" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	for _, c := range srv.Conns() { // the other side hangs up: the clients connect again
		c.Close()
	}
	for range 10 {
		_, err := do.Call(context.Background(), p, "")
		if err != nil && !errors.Is(err, io.EOF) { // the other side's end may come in the middle
			t.Error(err)
		}
	}
}

func TestLocalMemberEndsWithItsServer(t *testing.T) {
	srv := serverOf(func(context.Context, string) (string, error) { return "", nil })
	m := pool.Local(srv)
	srv.Close()
	<-m.Done()
	_ = m.Close()
}

func TestReadyWaitsForFullStrength(t *testing.T) {
	c := &crew{work: func(context.Context) error { return nil }}
	var broken atomic.Bool
	p := newPool(t, 2, func(ctx context.Context) (pool.Member, error) {
		if broken.Load() {
			return nil, errors.New("no licence")
		}
		return c.start(ctx)
	})
	if err := p.Ready(context.Background()); err != nil {
		t.Error(err)
	}
	p.Resize(4)
	if err := p.Ready(context.Background()); err != nil || len(p.Stats().Members) != 4 {
		t.Errorf("%v, %+v", err, p.Stats())
	}

	broken.Store(true)
	c.members()[0].Close()
	eventually(t, "a start failed", func() bool { return p.Stats().Failed > 0 })
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	err := p.Ready(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "1 of 4") || !strings.Contains(err.Error(), "no licence") {
		t.Errorf("%v", err)
	}
	broken.Store(false)
	if err := p.Ready(context.Background()); err != nil {
		t.Error(err)
	}
	p.Resize(1)
	if err := p.Ready(context.Background()); err != nil {
		t.Error(err)
	}
	_ = p.Close()
	if err := p.Ready(context.Background()); !errors.Is(err, pool.ErrClosed) {
		t.Errorf("%v", err)
	}
}

func TestStatsTellOfDeaths(t *testing.T) {
	c := &crew{work: func(context.Context) error { return nil }}
	p := newPool(t, 1, c.start)
	for i := range 20 {
		if err := p.Ready(context.Background()); err != nil {
			t.Fatal(err)
		}
		if _, err := do.Call(context.Background(), p, ""); err != nil {
			t.Fatal(err)
		}
		all := c.members()
		all[len(all)-1].Close()
		eventually(t, "it is replaced", func() bool { return p.Stats().Replaced == uint64(i+1) })
	}
	s := p.Stats()
	if s.Ended != 20 || len(s.Deaths) != 16 {
		t.Fatalf("%+v", s)
	}
	for i, d := range s.Deaths {
		if d.Name != fmt.Sprintf("local-%d", i+4) || d.Calls == 0 || time.Since(d.Time) > time.Minute {
			t.Errorf("%+v", d)
		}
	}
	p.Resize(3)
	_ = p.Ready(context.Background())
	p.Resize(1)
	eventually(t, "two have left", func() bool { return p.Stats().Ended == 22 })
	if s := p.Stats(); s.Deaths[15].Name != "local-19" {
		t.Errorf("a member that was told to end counts as a death: %+v", s.Deaths[15])
	}
}
