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
		for _, n := range []int{1, 16, 17, 5, 15, 40}[:6/min(tenon.Scale, 2)] {
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
		for range 20 / tenon.Scale {
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

// pausing is a link whose Flush, once told, waits: that of the next frame to be
// committed, before or after it has flushed. It hides that the link can be polled.
type pausing struct {
	tenon.DirectLink
	before, after atomic.Bool
	next          atomic.Bool
	waits         chan struct{}
	goOn          chan struct{}
}

func (l *pausing) Commit(p []byte) error {
	defer l.next.Store(l.before.Load() || l.after.Load())
	return l.DirectLink.Commit(p)
}

func newPausing(link tenon.Link) *pausing {
	return &pausing{DirectLink: link.(tenon.DirectLink), waits: make(chan struct{}), goOn: make(chan struct{})}
}

func (l *pausing) Flush() error {
	if l.next.Load() && l.before.CompareAndSwap(true, false) {
		l.waits <- struct{}{}
		<-l.goOn
	}
	err := l.DirectLink.Flush()
	if l.next.Load() && l.after.CompareAndSwap(true, false) {
		l.waits <- struct{}{}
		<-l.goOn
	}
	return err
}

// TestShutdownWaitsForAFlushUnderWay has the last answer committed, its handler
// done, and the flush that shows it just begun when Shutdown would close the link.
func TestShutdownWaitsForAFlushUnderWay(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		for range 5 {
			var y *pausing
			r, g := gather(t, func() (a, b tenon.Link) {
				a, b = pair()
				if _, ok := a.(tenon.DirectLink); ok {
					y = newPausing(b)
					b = y
				}
				return a, b
			})
			started, open := make(chan string, 1), make(chan struct{})
			r.py.do("block", func(context.Context) (string, error) { started <- where(); <-open; return "", nil })
			r.py.settle(t, r.x, 0, inPlace)
			first := make(chan error, 1)
			g.shut.Store(true)
			commits, flushes := g.commits.Load(), g.flushes.Load()
			go func() {
				_, err := r.py.methods[0].Call(t.Context(), r.x, "block")
				first <- err
			}()
			eventually(t, "the call is committed", func() bool { return g.commits.Load() > commits && g.flushes.Load() > flushes })
			g.shut.Store(false)
			// A call follows at once, so that the answer waits for company.
			within(t, "the second call", func() { r.py.methods[2].Call(t.Context(), r.x, "") })
			if <-started != inPlace {
				close(open)
				<-first
				continue
			}
			down := make(chan error, 1)
			go func() { down <- r.y.Shutdown(t.Context()) }()
			eventually(t, "the other side is told", func() bool {
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				defer cancel()
				_, err := r.py.methods[2].Call(ctx, r.x, "")
				return tenon.SafeToRetry(err) && ctx.Err() == nil
			})
			y.before.Store(true)
			close(open)
			<-y.waits
			time.Sleep(2 * time.Millisecond) // Shutdown would have closed by now
			close(y.goOn)
			within(t, "the call that was accepted", func() {
				if err := <-first; err != nil {
					t.Error(err)
				}
			})
			within(t, "Shutdown", func() { <-down })
			r.close()
		}
	})
}

// TestCallerLooksAtWhatWasRead has a caller take the reading up when its answer
// was read already, but lies behind a call whose handler blocks.
func TestCallerLooksAtWhatWasRead(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		var y *pausing
		r, g := gather(t, func() (a, b tenon.Link) {
			a, b = pair()
			if _, ok := a.(tenon.DirectLink); ok {
				y = newPausing(b)
				b = y
			}
			return a, b
		})
		tenon.StopWatch(r.y)
		for found := false; !found; {
			started, open := make(chan string, 1), make(chan struct{})
			var calls sync.WaitGroup
			r.py.do("block", func(context.Context) (string, error) { started <- where(); <-open; return "", nil })
			r.px.do("asked", func(context.Context) (string, error) {
				commits := g.commits.Load()
				calls.Go(func() { r.py.methods[0].Call(t.Context(), r.x, "block") })
				eventually(t, "the call is committed", func() bool { return g.commits.Load() > commits })
				return "", nil
			})
			r.py.settle(t, r.x, 0, inPlace)
			g.shut.Store(true)
			commits := g.commits.Load()
			y.after.Store(true)
			answered := make(chan struct{})
			calls.Go(func() {
				r.px.methods[1].Call(t.Context(), r.y, "asked")
				close(answered)
			})
			<-y.waits
			eventually(t, "call and answer are committed", func() bool { return g.commits.Load() >= commits+2 })
			g.shut.Store(false)
			calls.Go(func() { r.x.Ping(t.Context()) }) // which flushes
			select {
			case where := <-started:
				found = where == inPlace
			case <-time.After(100 * time.Millisecond):
				// The base reader had not come back from the handler before, so that
				// the caller who pauses has the reading already: another try.
			}
			y.goOn <- struct{}{}
			within(t, "the caller", func() { <-answered })
			close(open)
			within(t, "the rest", calls.Wait)
		}
	})
}
