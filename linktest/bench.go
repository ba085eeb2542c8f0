package linktest

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
)

// patience is how long a step of a check may take that moves many bytes. Whatever
// takes longer counts as hanging.
var patience = 20 * time.Second

// A bench is where one check works: it makes pairs and runs steps that must not
// hang.
type bench struct {
	*testing.T
	pair func(t *testing.T) (a, b tenon.Link)
	hung *atomic.Bool // of the whole suite

	brief bool // steps need no more than a moment: a quarter of the patience is enough
}

func (b *bench) patience() time.Duration {
	if b.brief {
		return patience / 4
	}
	return patience
}

// links returns a fresh pair that is closed when the check ends.
func (b *bench) links() (x, y tenon.Link) {
	b.Helper()
	x, y = b.pair(b.T)
	b.Cleanup(func() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			x.Close()
			y.Close()
		}()
		select {
		case <-done:
		case <-time.After(patience):
			b.hung.Store(true)
			b.Errorf("Close does not return\n%s", stacks())
		}
	})
	return x, y
}

// directLinks is links for links that are known to be direct ones.
func (b *bench) directLinks() (x, y tenon.DirectLink) {
	b.Helper()
	p, q := b.links()
	return p.(tenon.DirectLink), q.(tenon.DirectLink)
}

// A task is a step that runs in a goroutine of its own.
type task struct {
	what string
	done chan struct{}
	err  error
}

// start runs f beside the check.
func start(what string, f func() error) *task {
	k := &task{what: what, done: make(chan struct{})}
	go func() {
		defer close(k.done)
		k.err = f()
	}()
	return k
}

func (k *task) finished() bool {
	select {
	case <-k.done:
		return true
	default:
		return false
	}
}

// finish waits for tasks that have to end by themselves now. The first that
// fails fails the check, for the others may wait for it.
func (b *bench) finish(tasks ...*task) {
	b.Helper()
	ended := make(chan *task, len(tasks))
	for _, k := range tasks {
		go func() {
			<-k.done
			if k.err != nil {
				ended <- k
			} else {
				ended <- nil
			}
		}()
	}
	limit := time.NewTimer(b.patience())
	defer limit.Stop()
	for range tasks {
		select {
		case k := <-ended:
			if k != nil {
				b.Fatalf("%s: %v", k.what, k.err)
			}
		case <-limit.C:
			b.hangs(tasks)
		}
	}
}

// wait waits for tasks whose error is looked at afterwards.
func (b *bench) wait(tasks ...*task) {
	b.Helper()
	limit := time.NewTimer(b.patience())
	defer limit.Stop()
	for _, k := range tasks {
		select {
		case <-k.done:
		case <-limit.C:
			b.hangs(tasks)
		}
	}
}

func (b *bench) hangs(tasks []*task) {
	b.Helper()
	b.hung.Store(true)
	for _, k := range tasks {
		if !k.finished() {
			b.Errorf("%s hangs", k.what)
		}
	}
	b.Fatal(stacks())
}

// do runs one step and waits for it.
func (b *bench) do(what string, f func() error) {
	b.Helper()
	b.finish(start(what, f))
}

// close closes l. What Close returns is the link's own affair, that it returns is
// not.
func (b *bench) close(l tenon.Link) {
	b.Helper()
	b.wait(start("Close", l.Close))
}

// settled waits until count has not moved for a while, which is how a sender
// that is held up looks from outside. It is an opinion, not a proof; no check
// fails because it was given too early.
func (b *bench) settled(k *task, count func() int64) {
	last, since := count(), time.Now()
	for !k.finished() && time.Since(since) < 50*time.Millisecond {
		time.Sleep(time.Millisecond)
		if now := count(); now != last {
			last, since = now, time.Now()
		}
	}
}

func stacks() string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var kept []string
	for _, g := range strings.Split(string(buf), "\n\n") {
		if !strings.Contains(g, "testing.(*M)") && !strings.Contains(g, "testing.(*T).Run(") {
			kept = append(kept, g)
		}
	}
	return fmt.Sprintf("goroutines:\n\n%s", strings.Join(kept, "\n\n"))
}

// in returns the bench of a subtest, which is left out after one that hung.
func (b *bench) in(t *testing.T) *bench {
	if b.hung.Load() {
		t.Skip("something hangs already")
	}
	return &bench{T: t, pair: b.pair, hung: b.hung, brief: b.brief}
}
