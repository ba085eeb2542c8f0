package tenon_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
)

// A place serves methods whose handlers do what their argument says: nothing if
// it is empty, else the action of that name.
type place struct {
	methods [3]tenon.Method[string, string]
	server  *tenon.Server

	mu      sync.Mutex
	actions map[string]func(ctx context.Context) (string, error)
}

func newPlace(opts ...tenon.Option) *place {
	p := &place{actions: map[string]func(context.Context) (string, error){
		"where":  func(context.Context) (string, error) { return where(), nil },
		"panic":  func(context.Context) (string, error) { panic("on purpose") },
		"goexit": func(context.Context) (string, error) { runtime.Goexit(); return "", nil },
		"nil": func(context.Context) (string, error) {
			var p *place
			return "", errors.New(string(rune(len(p.actions))))
		},
	}}
	p.server = tenon.NewServer(append(opts, tenon.WithLogger(quiet))...)
	for i := range p.methods {
		m := &p.methods[i]
		m.Name, m.Shape = fmt.Sprintf("test.Place/M%d", i), "(what string) (string)"
		m.Args, m.Result = textCodec, textCodec
		tenon.Handle(p.server, m, func(ctx context.Context, what string) (string, error) {
			if what == "" {
				return "", nil
			}
			p.mu.Lock()
			action := p.actions[what]
			p.mu.Unlock()
			return action(ctx)
		})
	}
	return p
}

func (p *place) do(what string, action func(ctx context.Context) (string, error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.actions[what] = action
}

const (
	inPlace   = "in place"
	elsewhere = "elsewhere"
)

// where says whether the handler that calls it runs on the base reader.
func where() string {
	stack := make([]byte, 8<<10)
	if bytes.Contains(stack[:runtime.Stack(stack, false)], []byte("tenon.(*base).start(")) {
		return inPlace
	}
	return elsewhere
}

// bases counts the base readers of this process.
func bases() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "tenon.(*base).run(")
}

// settle calls the method until its handler runs there.
func (p *place) settle(t *testing.T, conn *tenon.Conn, method int, there string) {
	t.Helper()
	m := &p.methods[method]
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		for range 100 {
			if _, err := m.Call(t.Context(), conn, ""); err != nil {
				t.Fatal(err)
			}
		}
		got, err := m.Call(t.Context(), conn, "where")
		if err != nil {
			t.Fatal(err)
		}
		if got == there {
			return
		}
	}
	t.Fatalf("the handler never runs %s", there)
}

// A rig joins two ends that serve a place each.
type rig struct {
	x, y   *tenon.Conn
	px, py *place
	cut    func() // breaks the link, if it is there
}

func newRig(t *testing.T, a, b tenon.Link, opts ...tenon.Option) *rig {
	r := &rig{px: newPlace(), py: newPlace()}
	r.join(t, a, b, opts...)
	return r
}

func (r *rig) join(t *testing.T, a, b tenon.Link, opts ...tenon.Option) {
	opts = append(opts, tenon.WithLogger(quiet))
	r.x = tenon.NewConn(context.Background(), a, r.px.server, opts...)
	r.y = tenon.NewConn(context.Background(), b, r.py.server, opts...)
	t.Cleanup(r.close)
}

func (r *rig) close() {
	r.x.Close()
	r.y.Close()
}

// soon bounds what has to happen without anybody's help.
const soon = 5 * time.Second

// within runs f, which has to return soon.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	waitFor(t, what, soon, f)
}

func waitFor(t *testing.T, what string, patience time.Duration, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		stacks := make([]byte, 4<<20)
		t.Fatalf("%s hangs\n%s", what, stacks[:runtime.Stack(stacks, true)])
	}
}

// goesOn makes calls and pings both ways.
func (r *rig) goesOn(t *testing.T) {
	t.Helper()
	within(t, "another call", func() {
		for range 20 {
			for i := range 3 {
				if _, err := r.py.methods[i].Call(t.Context(), r.x, ""); err != nil {
					t.Error(err)
				}
				if _, err := r.px.methods[i].Call(t.Context(), r.y, ""); err != nil {
					t.Error(err)
				}
			}
		}
		for _, conn := range []*tenon.Conn{r.x, r.y} {
			if _, err := conn.Ping(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
}

// A blocker is a call whose handler runs in place and blocks.
type blocker struct {
	started chan struct{}
	result  chan error
}

// block starts a call of method 0 on x whose handler, in place, does wait.
func (r *rig) block(t *testing.T, wait func(ctx context.Context) error) *blocker {
	t.Helper()
	for range 100 {
		r.py.settle(t, r.x, 0, inPlace)
		for range 200 { // its fill of credit
			r.py.methods[0].Call(t.Context(), r.x, "")
		}
		b := &blocker{make(chan struct{}), make(chan error, 1)}
		at := make(chan string, 1)
		r.py.do("block", func(ctx context.Context) (string, error) {
			w := where()
			at <- w
			if w != inPlace {
				return "", nil
			}
			close(b.started)
			return "blocked", wait(ctx)
		})
		go func() {
			got, err := r.py.methods[0].Call(t.Context(), r.x, "block")
			if err == nil && got != "blocked" {
				err = fmt.Errorf("the answer %q", got)
			}
			b.result <- err
		}()
		if <-at == inPlace {
			return b
		}
		<-b.result
	}
	t.Fatal("the handler never runs in place")
	return nil
}

func (b *blocker) ends(t *testing.T) error {
	t.Helper()
	select {
	case err := <-b.result:
		return err
	case <-time.After(soon):
		stacks := make([]byte, 1<<20)
		t.Fatalf("the call never ends\n%s", stacks[:runtime.Stack(stacks, true)])
		return nil
	}
}

func (b *blocker) succeeds(t *testing.T) {
	t.Helper()
	if err := b.ends(t); err != nil {
		t.Error(err)
	}
}

func TestBlockingHandlerInPlaceHoldsNobodyUp(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		for name, test := range map[string]func(t *testing.T, r *rig){
			"a later call":      blockedOnALaterCall,
			"a mutex":           blockedOnAMutexOfACaller,
			"a sleep":           blockedInASleep,
			"computing":         blockedByComputing,
			"a call back":       blockedInACallBack,
			"a call around":     func(t *testing.T, r *rig) { blockedInACallAround(t, r, pair) },
			"another goroutine": blockedOnAnotherGoroutine,
		} {
			t.Run(name, func(t *testing.T) {
				a, b := pair()
				test(t, newRig(t, a, b))
			})
		}
	})
}

func blockedOnALaterCall(t *testing.T, r *rig) {
	open := make(chan struct{})
	r.py.do("open", func(context.Context) (string, error) { close(open); return "", nil })
	b := r.block(t, func(context.Context) error { <-open; return nil })
	r.goesOn(t)
	within(t, "the later call", func() { r.py.methods[1].Call(t.Context(), r.x, "open") })
	b.succeeds(t)
	r.goesOn(t)
}

func blockedOnAMutexOfACaller(t *testing.T, r *rig) {
	var mu sync.Mutex
	mu.Lock()
	b := r.block(t, func(context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		return nil
	})
	within(t, "the caller with the mutex", func() {
		for range 20 {
			if _, err := r.px.methods[0].Call(t.Context(), r.y, ""); err != nil {
				t.Error(err)
			}
		}
	})
	mu.Unlock()
	b.succeeds(t)
	r.goesOn(t)
}

func blockedInASleep(t *testing.T, r *rig) {
	var woke atomic.Bool
	b := r.block(t, func(context.Context) error {
		time.Sleep(20 * time.Millisecond)
		woke.Store(true)
		return nil
	})
	r.goesOn(t)
	b.succeeds(t)
	if !woke.Load() {
		t.Error("answered in its sleep")
	}
}

func blockedByComputing(t *testing.T, r *rig) {
	var stop atomic.Bool
	b := r.block(t, func(context.Context) error {
		for !stop.Load() {
		}
		return nil
	})
	r.goesOn(t)
	stop.Store(true)
	b.succeeds(t)
}

func blockedInACallBack(t *testing.T, r *rig) {
	open := make(chan struct{})
	r.py.do("open", func(context.Context) (string, error) { close(open); return "", nil })
	r.px.do("wait", func(context.Context) (string, error) { <-open; return "", nil })
	b := r.block(t, func(ctx context.Context) error {
		if _, err := r.px.methods[1].Call(ctx, tenon.ConnFrom(ctx), ""); err != nil {
			return err
		}
		_, err := r.px.methods[1].Call(ctx, tenon.ConnFrom(ctx), "wait")
		return err
	})
	r.goesOn(t)
	within(t, "the call that all wait for", func() { r.py.methods[2].Call(t.Context(), r.x, "open") })
	b.succeeds(t)
	r.goesOn(t)
}

// blockedInACallAround goes back to where it came from over another connection,
// and from there to the base reader again that is blocked.
func blockedInACallAround(t *testing.T, r *rig, pair func() (a, b tenon.Link)) {
	c, d := pair()
	other := &rig{px: r.px, py: r.py}
	other.join(t, c, d)
	for i := range 3 {
		r.px.settle(t, other.y, i, inPlace)
		r.py.settle(t, r.x, i, inPlace)
	}
	r.px.do("on", func(ctx context.Context) (string, error) { return r.py.methods[1].Call(ctx, r.x, "back") })
	r.py.do("back", func(ctx context.Context) (string, error) { return r.px.methods[2].Call(ctx, other.y, "") })
	b := r.block(t, func(ctx context.Context) error {
		_, err := r.px.methods[1].Call(ctx, other.y, "on")
		return err
	})
	r.goesOn(t)
	b.succeeds(t)
	other.goesOn(t)
}

func blockedOnAnotherGoroutine(t *testing.T, r *rig) {
	b := r.block(t, func(ctx context.Context) error {
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() {
				if _, err := r.px.methods[1].Call(ctx, r.y, ""); err != nil {
					t.Error(err)
				}
			})
		}
		calls.Wait()
		return nil
	})
	b.succeeds(t)
	r.goesOn(t)
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestHandlerInPlaceThatDiesTakesNobodyAlong(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		for _, how := range []string{"goexit", "panic", "nil"} {
			t.Run(how, func(t *testing.T) {
				a, b := pair()
				r := newRig(t, a, b)
				r.py.mu.Lock()
				die := r.py.actions[how]
				r.py.mu.Unlock()
				var inThere atomic.Int64
				r.py.do("die", func(ctx context.Context) (string, error) {
					if where() == inPlace {
						inThere.Add(1)
					}
					return die(ctx)
				})
				for inThere.Load() < int64(20/tenon.Scale) {
					r.py.settle(t, r.x, 0, inPlace)
					_, err := r.py.methods[0].Call(t.Context(), r.x, "die")
					var e *tenon.Error
					if !errors.As(err, &e) || e.Code != tenon.Panicked {
						t.Fatal(err)
					}
				}
				r.goesOn(t)
				eventually(t, "each side has one base reader", func() bool { return bases() == 2 })
			})
		}
	})
}

func TestReadingGoesOnAtOnceAfterGoexit(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		r := newRig(t, a, b)
		tenon.StopWatch(r.y)
		within(t, "a call after Goexit", func() {
			for range 20 {
				r.py.settle(t, r.x, 0, inPlace)
				r.py.methods[0].Call(t.Context(), r.x, "goexit")
			}
		})
	})
}

// TestBaseReadersThatWereReplacedEnd has several of them blocked at once, which
// come back while the next one is blocked.
func TestBaseReadersThatWereReplacedEnd(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		r := newRig(t, a, b)
		for i := range r.py.methods {
			r.py.settle(t, r.x, i, inPlace)
		}
		var opens [3]chan struct{}
		var calls sync.WaitGroup
		for i := range opens {
			opens[i] = make(chan struct{})
			name, started := fmt.Sprint("block ", i), make(chan struct{})
			r.py.do(name, func(context.Context) (string, error) {
				close(started)
				<-opens[i]
				return name, nil
			})
			calls.Go(func() {
				if got, err := r.py.methods[i].Call(t.Context(), r.x, name); err != nil || got != name {
					t.Errorf("%s: %q, %v", name, got, err)
				}
			})
			<-started
			if i > 0 {
				close(opens[i-1]) // perhaps before the watch has acted, perhaps after
			}
		}
		r.goesOn(t)
		close(opens[2])
		within(t, "a blocked call", calls.Wait)
		r.goesOn(t)
		eventually(t, "each side has one base reader", func() bool { return bases() == 2 })
	})
}

func TestEndWhileAHandlerBlocksInPlace(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		for name, end := range map[string]func(r *rig, cancel context.CancelFunc){
			"close here":   func(r *rig, _ context.CancelFunc) { r.y.Close() },
			"close there":  func(r *rig, _ context.CancelFunc) { r.x.Close(); <-r.y.Done() },
			"context":      func(r *rig, cancel context.CancelFunc) { cancel(); <-r.y.Done() },
			"link":         func(r *rig, _ context.CancelFunc) { r.cut(); <-r.x.Done(); <-r.y.Done() },
			"shutdown":     func(r *rig, _ context.CancelFunc) { r.shutdown(r.y) },
			"server close": func(r *rig, _ context.CancelFunc) { r.py.server.Close() },
		} {
			t.Run(name, func(t *testing.T) {
				a, b := pair()
				r := &rig{px: newPlace(), py: newPlace()}
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				r.x = tenon.NewConn(context.Background(), a, r.px.server, tenon.WithLogger(quiet))
				r.y = tenon.NewConn(ctx, b, r.py.server, tenon.WithLogger(quiet))
				r.cut = func() { a.Close() }
				t.Cleanup(r.close)
				told, open := make(chan struct{}), make(chan struct{})
				blocked := r.block(t, func(ctx context.Context) error {
					<-ctx.Done()
					close(told)
					<-open // and is in no hurry
					return nil
				})
				within(t, "the end", func() { end(r, cancel) })
				within(t, "the context of the handler", func() { <-told })
				if err := blocked.ends(t); err == nil || tenon.SafeToRetry(err) {
					t.Errorf("the call that was cut off: %v", err)
				}
				within(t, "both ends", r.close)
				eventually(t, "only the handler's goroutine is left", func() bool { return bases() == 1 })
				close(open)
				eventually(t, "nothing is left", func() bool { return bases() == 0 })
			})
		}
	})
}

// shutdown gives the handlers a moment.
func (r *rig) shutdown(conn *tenon.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	conn.Shutdown(ctx)
}

func TestHandlerInPlaceSeesThatItsCallerGaveUp(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		r := newRig(t, a, b)
		for range 5 {
			r.py.settle(t, r.x, 0, inPlace)
			started, told := make(chan struct{}), make(chan struct{})
			r.py.do("wait", func(ctx context.Context) (string, error) {
				close(started)
				<-ctx.Done()
				close(told)
				return "", ctx.Err()
			})
			ctx, cancel := context.WithCancel(t.Context())
			result := make(chan error, 1)
			go func() {
				_, err := r.py.methods[0].Call(ctx, r.x, "wait")
				result <- err
			}()
			<-started
			cancel()
			within(t, "the call", func() {
				if err := <-result; !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
			within(t, "its handler", func() { <-told })
		}
		r.goesOn(t)
	})
}

func TestClientConnectsAgainAfterHandlersBlockedInPlace(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		p := newPlace()
		served := make(chan error, 1)
		go func() { served <- p.server.ServeLink(context.Background(), b) }()
		c := tenon.NewClientOver(a, nil, tenon.WithLogger(quiet))
		for range 5 {
			conn, err := c.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			p.settle(t, conn, 0, inPlace)
			started, open := make(chan struct{}), make(chan struct{})
			p.do("block", func(context.Context) (string, error) { close(started); <-open; return "", nil })
			result := make(chan error, 1)
			go func() {
				_, err := p.methods[0].Call(t.Context(), conn, "block")
				result <- err
			}()
			<-started
			gone := make(chan error, 1)
			go func() { gone <- c.Disconnect(t.Context()) }()
			close(open)
			within(t, "the call, and then the end", func() {
				if err := <-result; err != nil {
					t.Error(err)
				}
				if err := <-gone; err != nil {
					t.Error(err)
				}
			})
		}
		c.Close()
		<-served
		eventually(t, "nothing is left", func() bool { return bases() == 0 })
	})
}
