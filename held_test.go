package tenon_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
)

// gathering is a link that keeps back what is flushed while it is shut, so that it
// travels at once. It hides that a link can be polled.
type gathering struct {
	tenon.DirectLink
	shut             atomic.Bool
	commits, flushes atomic.Int64
}

func (g *gathering) Commit(p []byte) error {
	defer g.commits.Add(1)
	return g.DirectLink.Commit(p)
}

func (g *gathering) Flush() error {
	defer g.flushes.Add(1)
	if g.shut.Load() {
		return nil
	}
	return g.DirectLink.Flush()
}

// gather returns a rig over a link that can gather on x's side.
func gather(t *testing.T, pair func() (a, b tenon.Link)) (*rig, *gathering) {
	a, b := pair()
	direct, ok := a.(tenon.DirectLink)
	if !ok {
		t.Skip("this link flushes by itself")
	}
	g := &gathering{DirectLink: direct}
	return newRig(t, g, b), g
}

// group starts calls of method 1 on x whose frames stay in the link until it is
// opened.
func (g *gathering) group(t *testing.T, r *rig, n int) (answered *sync.WaitGroup) {
	answered = new(sync.WaitGroup)
	g.shut.Store(true)
	for range n {
		commits, flushes := g.commits.Load(), g.flushes.Load()
		answered.Go(func() {
			if _, err := r.py.methods[1].Call(t.Context(), r.x, ""); err != nil {
				t.Error(err)
			}
		})
		eventually(t, "the call is committed", func() bool { return g.commits.Load() > commits && g.flushes.Load() > flushes })
	}
	return answered
}

// blockAfter has a group of calls arrive at once with one, the last, that blocks
// in place.
func blockAfter(t *testing.T, r *rig, g *gathering, n int, wait func()) (first *sync.WaitGroup, b *blocker) {
	t.Helper()
	for range 100 {
		for i := range 2 {
			r.py.settle(t, r.x, i, inPlace)
			for range 300 {
				r.py.methods[i].Call(t.Context(), r.x, "")
			}
		}
		b := &blocker{make(chan struct{}), make(chan error, 1)}
		at := make(chan string, 1)
		r.py.do("block", func(context.Context) (string, error) {
			w := where()
			at <- w
			if w == inPlace {
				wait()
			}
			return "", nil
		})
		first := g.group(t, r, n)
		g.shut.Store(false)
		go func() {
			_, err := r.py.methods[0].Call(t.Context(), r.x, "block")
			b.result <- err
		}()
		if <-at == inPlace {
			return first, b
		}
		b.succeeds(t)
		first.Wait()
	}
	t.Fatal("the handler never runs in place")
	return nil, nil
}

func TestAnswersBeforeABlockedOneArrive(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		for _, n := range []int{1, 5, 15, 16, 17, 40} {
			r, g := gather(t, pair)
			open := make(chan struct{})
			first, b := blockAfter(t, r, g, n, func() { <-open })
			within(t, "a call before the one that blocks", first.Wait)
			close(open)
			b.succeeds(t)
			r.goesOn(t)
			r.close()
		}
	})
}

// TestAnswerOfABlockedHandlerArrivesWithoutOthers has the blocked handler find
// that another call has come when it begins, so that its answer would travel with
// that one's, which is long gone.
func TestAnswerOfABlockedHandlerArrivesWithoutOthers(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		r, g := gather(t, pair)
		for range 20 {
			open := make(chan struct{})
			r.py.settle(t, r.x, 0, inPlace)
			for range 300 {
				r.py.methods[0].Call(t.Context(), r.x, "")
			}
			r.py.do("block", func(context.Context) (string, error) { <-open; return "", nil })
			g.shut.Store(true)
			commits, flushes := g.commits.Load(), g.flushes.Load()
			result := make(chan error, 1)
			go func() {
				_, err := r.py.methods[0].Call(t.Context(), r.x, "block")
				result <- err
			}()
			eventually(t, "the call is committed", func() bool { return g.commits.Load() > commits && g.flushes.Load() > flushes })
			g.shut.Store(false)
			within(t, "the call after the one that blocks", func() { r.py.methods[2].Call(t.Context(), r.x, "") })
			time.Sleep(time.Millisecond)
			close(open)
			within(t, "the one that blocked", func() {
				if err := <-result; err != nil {
					t.Error(err)
				}
			})
		}
	})
}

// TestAnswerGoesOutBeforeTheReadingIsLeftToACaller has the other side answer the
// caller who reads only when it has the answer that waits for company.
func TestAnswerGoesOutBeforeTheReadingIsLeftToACaller(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		r, g := gather(t, pair)
		tenon.StopWatch(r.y)
		for found := false; !found; {
			started, open, end, answered := make(chan string, 1), make(chan struct{}), make(chan struct{}), make(chan struct{})
			asked := make(chan struct{})
			r.py.do("block", func(context.Context) (string, error) { started <- where(); <-open; return "", nil })
			r.py.do("after", func(context.Context) (string, error) { <-end; return "", nil })
			r.px.do("asked", func(context.Context) (string, error) { close(asked); <-answered; return "", nil })
			r.py.settle(t, r.x, 0, inPlace)
			g.shut.Store(true)
			commits, flushes := g.commits.Load(), g.flushes.Load()
			var calls sync.WaitGroup
			calls.Go(func() {
				r.py.methods[0].Call(t.Context(), r.x, "block")
				close(answered)
			})
			eventually(t, "the call is committed", func() bool { return g.commits.Load() > commits && g.flushes.Load() > flushes })
			g.shut.Store(false)
			calls.Go(func() { r.py.methods[2].Call(t.Context(), r.x, "after") })
			found = <-started == inPlace
			calls.Go(func() { r.px.methods[1].Call(t.Context(), r.y, "asked") })
			<-asked
			close(open)
			within(t, "the answer", func() { <-answered })
			close(end)
			within(t, "the rest", calls.Wait)
		}
	})
}
