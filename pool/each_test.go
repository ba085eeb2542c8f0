package pool_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/pool"
)

func TestEachReachesEveryMember(t *testing.T) {
	leak.Check(t)
	failure := errors.New("not me")
	c := &crew{work: func(context.Context) error { return nil }}
	p := newPool(t, 5, c.start, pool.Concurrency(1))
	each := pool.Each(t.Context(), p, func(ctx context.Context, m tenon.Caller) (int, error) {
		if m.(*local).name == "local-3" {
			return 0, failure
		}
		_, err := do.Call(ctx, m, "")
		return 7, err
	})
	for round := 1; round <= 2; round++ {
		names := make(map[string]bool)
		for a, err := range each {
			names[a.Name] = true
			if bad := a.Name == "local-3"; bad != (err == failure) || bad != (a.Value == 0) {
				t.Errorf("%+v, %v", a, err)
			}
		}
		if len(names) != 5 {
			t.Errorf("%v", names)
		}
		for _, m := range c.members() {
			if n := int(m.calls.Load()); n != round && m.name != "local-3" {
				t.Errorf("%s: %d calls in round %d", m.name, n, round)
			}
		}
	}
	if inFlight(p) != 0 {
		t.Errorf("%+v", p.Stats())
	}
	_ = p.Close()
	for _, err := range each {
		if err != pool.ErrClosed {
			t.Error(err)
		}
	}
}

// The first answer comes while others are worked on, and leaving the loop ends
// those.
func TestEachYieldsAnswersAsTheyCome(t *testing.T) {
	leak.Check(t)
	canceled := 0
	c := &crew{work: func(ctx context.Context) error { return nil }}
	p := newPool(t, 4, c.start)
	ended := make(chan error, 4)
	for a, err := range pool.Each(t.Context(), p, func(ctx context.Context, m tenon.Caller) (string, error) {
		if m.(*local).name != "local-2" {
			<-ctx.Done()
			ended <- ctx.Err()
		}
		return m.(*local).name, nil
	}) {
		if err != nil || a.Value != "local-2" || a.Name != a.Value {
			t.Fatalf("%+v, %v", a, err)
		}
		break
	}
	for len(ended) > 0 { // all have returned
		if errors.Is(<-ended, context.Canceled) {
			canceled++
		}
	}
	if canceled != 3 {
		t.Errorf("%d others were ended", canceled)
	}
}

func TestEachRaisesPanicsInTheLoop(t *testing.T) {
	leak.Check(t)
	p := newPool(t, 3, (&crew{work: func(context.Context) error { return nil }}).start)
	defer func() {
		if x := recover(); x != "ouch" {
			t.Errorf("it panicked with %v", x)
		}
		if inFlight(p) != 0 {
			t.Errorf("%+v", p.Stats())
		}
	}()
	for _, err := range pool.Each(t.Context(), p, func(ctx context.Context, m tenon.Caller) (int, error) {
		runtime.Goexit()
		return 0, nil
	}) {
		if err == nil {
			t.Error("its goroutine had ended")
		}
	}
	for range pool.Each(t.Context(), p, func(ctx context.Context, m tenon.Caller) (int, error) {
		if m.(*local).name == "local-0" {
			panic("ouch")
		}
		<-ctx.Done()
		return 0, nil
	}) {
		t.Error("nobody else answers")
	}
}
