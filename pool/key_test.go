package pool_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/tenon-go/tenon/pool"
)

// guests are members that note which keys they have seen.
type guests struct {
	crew
	seen sync.Map // key -> name of the member that had its last call
}

func (g *guests) start(context.Context) (pool.Member, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	name := fmt.Sprintf("local-%d", len(g.all))
	l := newLocal(name, func(ctx context.Context) error {
		g.seen.Store(ctx.Value(nameOfKey{}), name)
		return nil
	})
	g.all = append(g.all, l)
	return l, nil
}

type nameOfKey struct{}

func keyed(name string) context.Context {
	return context.WithValue(pool.WithKey(context.Background(), name), nameOfKey{}, name)
}

// homes calls once with each of many keys and tells where the calls went.
func (g *guests) homes(t *testing.T, p *pool.Pool) map[string]string {
	t.Helper()
	homes := map[string]string{}
	for i := range 200 {
		key := fmt.Sprintf("key-%d", i)
		if _, err := do.Call(keyed(key), p, ""); err != nil {
			t.Fatal(err)
		}
		home, _ := g.seen.Load(key)
		homes[key] = home.(string)
	}
	return homes
}

func TestKeysStayWithTheirMembers(t *testing.T) {
	g := &guests{}
	p := newPool(t, 4, g.start)
	before := g.homes(t, p)
	keys := map[string]int{}
	for key, home := range before {
		keys[home]++
		if again := g.homes(t, p)[key]; again != home {
			t.Fatalf("%s was at %s and is at %s", key, home, again)
		}
	}
	for _, m := range g.members() {
		if keys[m.name] < 20 {
			t.Errorf("%s has %d of 200 keys", m.name, keys[m.name])
		}
	}

	dead := g.members()[2]
	dead.Close()
	eventually(t, "the dead one is replaced", func() bool { return p.Stats().Replaced == 1 })
	moved := 0
	for key, home := range g.homes(t, p) {
		switch {
		case before[key] == dead.name && home == "local-4":
			moved++
		case before[key] != home:
			t.Errorf("%s moved from %s to %s", key, before[key], home)
		}
	}
	if moved != keys[dead.name] {
		t.Errorf("the replacement has %d of the %d keys", moved, keys[dead.name])
	}

	p.Resize(5)
	if err := p.Ready(context.Background()); err != nil {
		t.Fatal(err)
	}
	for key, home := range g.homes(t, p) {
		if home != "local-5" && home != before[key] && before[key] != dead.name {
			t.Errorf("%s moved from %s to %s, not to the new place", key, before[key], home)
		}
	}
}

func TestCallWithAKeyWaitsForItsMemberAndOthersPass(t *testing.T) {
	hold := make(chan struct{})
	c := &crew{work: func(ctx context.Context) error {
		if ctx.Value(nameOfKey{}) == "mine" {
			<-hold
		}
		return nil
	}}
	p := newPool(t, 2, c.start, pool.Concurrency(1))
	var calls sync.WaitGroup
	for i := range 3 {
		calls.Go(func() {
			if _, err := do.Call(keyed("mine"), p, ""); err != nil {
				t.Error(err)
			}
		})
		eventually(t, "it runs or waits", func() bool { s := p.Stats(); return int(s.Calls)+s.Waiting == i+1 })
	}
	if s := p.Stats(); s.Waiting != 2 {
		t.Errorf("%d wait, though their member is busy", s.Waiting)
	}
	for range 10 { // the other member is free for others
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		if _, err := do.Call(ctx, p, ""); err != nil {
			t.Error(err)
		}
		cancel()
	}
	close(hold)
	calls.Wait()
	var with int
	for _, m := range c.members() {
		if m.calls.Load() == 3 {
			with++
		}
	}
	if with != 1 {
		t.Error("the three calls did not go to one member")
	}
}

func TestCallsThatWaitForAMemberThatEndsGoToAnother(t *testing.T) {
	hold := make(chan struct{})
	c := &crew{work: func(ctx context.Context) error { <-hold; return nil }}
	p := newPool(t, 2, c.start, pool.Concurrency(1))
	ran := make(chan error, 3)
	for i := range 3 {
		go func() {
			_, err := do.Call(keyed("mine"), p, "")
			ran <- err
		}()
		eventually(t, "it runs or waits", func() bool { s := p.Stats(); return int(s.Calls)+s.Waiting == i+1 })
	}
	for _, m := range c.members() {
		if m.calls.Load() > 0 {
			m.Close()
		}
	}
	eventually(t, "another member runs a call", func() bool { return p.Stats().Calls >= 2 })
	close(hold)
	for range 3 {
		if err := <-ran; err != nil {
			t.Error(err)
		}
	}
}

// Keys, give-ups, deaths and resizes at random: nobody waits for ever, and no
// place is lost.
func TestKeysUnderLoadLoseNoPlace(t *testing.T) {
	c := &crew{work: func(context.Context) error {
		for range rand.IntN(20) {
			runtime.Gosched()
		}
		return nil
	}}
	p := newPool(t, 3, c.start, pool.Concurrency(1))
	stop := make(chan struct{})
	var others, calls sync.WaitGroup
	others.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			if all := c.members(); rand.IntN(2) == 0 {
				all[len(all)-1].Close()
			} else {
				p.Resize(1 + rand.IntN(4))
			}
		}
	})
	for i := range 16 {
		calls.Go(func() {
			for range 300 {
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				giveUp := rand.IntN(3) == 0
				if i%2 == 0 {
					ctx = pool.WithKey(ctx, fmt.Sprint(rand.IntN(10)))
				}
				if giveUp {
					go cancel()
				}
				_, err := do.Call(ctx, p, "")
				if err != nil && !giveUp {
					t.Error(err)
				}
				cancel()
			}
		})
	}
	calls.Wait()
	close(stop)
	others.Wait()
	if err := p.Ready(context.Background()); err != nil {
		t.Error(err)
	}
	s := p.Stats()
	if s.Waiting != 0 {
		t.Errorf("%+v", s)
	}
	for _, m := range s.Members {
		if m.InFlight != 0 {
			t.Errorf("a place is lost: %+v", m)
		}
	}
}
