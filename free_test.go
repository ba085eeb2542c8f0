package tenon_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
)

// lonely runs a test with every kind of link, with and without polling, and with
// one processor.
func lonely(t *testing.T, test func(t *testing.T, r *rig)) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		for name, opts := range map[string][]tenon.Option{"polling": nil, "sleeping": {tenon.WithPolling(0)}} {
			for _, procs := range []int{1, runtime.GOMAXPROCS(0)} {
				t.Run(fmt.Sprint(name, " ", procs), func(t *testing.T) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
					a, b := pair()
					r := newRig(t, a, b, opts...)
					test(t, r)
					r.close()
				})
			}
		}
	})
}

// alone makes calls, one after the other: afterwards nobody reads on x.
func (r *rig) alone(t *testing.T, calls int) {
	t.Helper()
	for range calls {
		if _, err := r.py.methods[1].Call(t.Context(), r.x, ""); err != nil {
			t.Fatal(err)
		}
	}
}

// silent makes "wait" a method of y whose calls end with their contexts only.
func (r *rig) silent() (started chan struct{}) {
	started = make(chan struct{}, 1000)
	r.py.do("wait", func(ctx context.Context) (string, error) {
		started <- struct{}{}
		<-ctx.Done()
		return "", ctx.Err()
	})
	return started
}

func TestCallsBackArriveThoughNobodyCalls(t *testing.T) {
	lonely(t, func(t *testing.T, r *rig) {
		for range 10 {
			r.alone(t, 5)
			within(t, "a call back", func() {
				if _, err := r.px.methods[0].Call(t.Context(), r.y, ""); err != nil {
					t.Error(err)
				}
			})
			r.alone(t, 5)
			within(t, "a ping", func() {
				if _, err := r.y.Ping(t.Context()); err != nil {
					t.Error(err)
				}
			})
			r.alone(t, 5)
			within(t, "a ping of the one who called", func() {
				if _, err := r.x.Ping(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
	})
}

func TestCallerWhoReadsGivesUp(t *testing.T) {
	lonely(t, func(t *testing.T, r *rig) {
		started := r.silent()
		for _, patience := range []time.Duration{0, 200 * time.Microsecond, time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond} {
			r.alone(t, 10)
			within(t, fmt.Sprint("a call for ", patience), func() {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				if _, err := r.py.methods[0].Call(ctx, r.x, "wait"); !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			})
		}
		for len(started) > 0 {
			<-started
		}
		for _, after := range []time.Duration{0, 50 * time.Microsecond, 10 * time.Millisecond} {
			r.alone(t, 10)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-started
				time.Sleep(after)
				cancel()
			}()
			within(t, fmt.Sprint("a call canceled after ", after), func() {
				if _, err := r.py.methods[0].Call(ctx, r.x, "wait"); !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
		}
		r.goesOn(t)
	})
}

func TestSecondCallerIsAnsweredWhileTheFirstReads(t *testing.T) {
	lonely(t, func(t *testing.T, r *rig) {
		started := r.silent()
		for _, pause := range []time.Duration{0, 100 * time.Microsecond, 5 * time.Millisecond} {
			r.alone(t, 10)
			ctx, cancel := context.WithCancel(t.Context())
			first := make(chan error, 1)
			go func() {
				_, err := r.py.methods[0].Call(ctx, r.x, "wait")
				first <- err
			}()
			<-started
			time.Sleep(pause)
			r.goesOn(t)
			select {
			case err := <-first:
				t.Errorf("the first one: %v", err)
			default:
			}
			cancel()
			within(t, "the first one", func() {
				if err := <-first; !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
		}
	})
}

func TestCallerWhoReadsLeavesWhileOthersWait(t *testing.T) {
	lonely(t, func(t *testing.T, r *rig) {
		started := r.silent()
		for range 5 {
			open := make(chan struct{})
			r.py.do("open", func(context.Context) (string, error) { <-open; return "", nil })
			r.alone(t, 10)
			ctx, cancel := context.WithCancel(t.Context())
			var first, others sync.WaitGroup
			first.Go(func() { r.py.methods[0].Call(ctx, r.x, "wait") })
			<-started
			for range 3 {
				others.Go(func() {
					if _, err := r.py.methods[2].Call(t.Context(), r.x, "open"); err != nil {
						t.Error(err)
					}
				})
			}
			cancel()
			within(t, "the one who leaves", first.Wait)
			close(open)
			within(t, "those who stay", others.Wait)
		}
	})
}

func TestCallersComeAndGo(t *testing.T) {
	lonely(t, func(t *testing.T, r *rig) {
		r.silent()
		within(t, "a caller", func() {
			var callers sync.WaitGroup
			for i := range 64 {
				callers.Go(func() {
					random := rand.New(rand.NewPCG(uint64(i), 5))
					for range 10 / min(tenon.Scale, 2) {
						what := ""
						ctx, cancel := context.WithCancel(t.Context())
						if random.IntN(2) == 0 {
							what = "wait"
							time.AfterFunc(time.Duration(random.IntN(2000))*time.Microsecond, cancel)
						}
						_, err := r.py.methods[random.IntN(3)].Call(ctx, r.x, what)
						if what == "" && err != nil || what != "" && !errors.Is(err, context.Canceled) {
							t.Errorf("%q: %v", what, err)
						}
						cancel()
					}
				})
			}
			callers.Wait()
		})
	})
}

func TestPeerDiesWhileACallerReads(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		for _, pause := range []time.Duration{0, 100 * time.Microsecond, 5 * time.Millisecond} {
			a, b := pair()
			r := newRig(t, a, b)
			started := r.silent()
			r.alone(t, 10)
			result := make(chan error, 1)
			go func() {
				_, err := r.py.methods[0].Call(t.Context(), r.x, "wait")
				result <- err
			}()
			<-started
			time.Sleep(pause)
			b.Close()
			within(t, "the caller", func() {
				var e *tenon.Error
				if err := <-result; !errors.As(err, &e) || e.Code != tenon.Unavailable || e.SafeToRetry {
					t.Error(err)
				}
			})
			within(t, "the end", func() { <-r.x.Done() })
			r.close()
		}
	})
}

func TestPeerDiesWhileNobodyReads(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		for range 20 {
			a, b := pair()
			r := newRig(t, a, b)
			r.alone(t, 10)
			b.Close()
			within(t, "the end", func() { <-r.x.Done() })
			r.close()
		}
	})
}

func TestIdleConnectionTicksNoMore(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		r := newRig(t, a, b)
		r.goesOn(t)
		goroutines := runtime.NumGoroutine()
		for range 3 {
			r.alone(t, 100)
			blocked := r.block(t, func(context.Context) error { time.Sleep(5 * time.Millisecond); return nil })
			blocked.succeeds(t)
			r.alone(t, 100)
			eventually(t, "no watch ticks", func() bool { return !tenon.Ticking(r.x) && !tenon.Ticking(r.y) })
			// A handler may have left a goroutine that waits for the next one.
			eventually(t, "there are no more goroutines than before", func() bool { return runtime.NumGoroutine() <= goroutines+2 })
		}
	})
}
