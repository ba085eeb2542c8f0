package tenon_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
)

// The methods that programs call streams and functions with. Their argument is a
// plan: how many items, and what goes wrong in the middle.
var (
	outM   = tenon.Method[int, int]{Name: "prog.Talk/Out", Shape: "(n int) (stream int)", Args: intCodec, Result: intCodec, Ports: 1}
	inM    = tenon.Method[int, int]{Name: "prog.Talk/In", Shape: "(n int, in stream int) (int)", Args: intCodec, Result: intCodec, Ports: 1}
	echoM  = tenon.Method[int, int]{Name: "prog.Talk/Echo", Shape: "(n int, in stream bytes) (stream bytes)", Args: intCodec, Result: intCodec, Ports: 2}
	pairM  = tenon.Method[int, int]{Name: "prog.Talk/Pair", Shape: "(n int, in stream int) (stream int, stream int)", Args: intCodec, Result: intCodec, Ports: 3}
	visitM = tenon.Method[int, int]{Name: "prog.Talk/Visit", Shape: "(n int, f func(int) (int)) (int)", Args: intCodec, Result: intCodec, Ports: 1}
	diveM  = tenon.Method[int, int]{Name: "prog.Talk/Dive", Shape: "(n int, f func(int) (int)) (int)", Args: intCodec, Result: intCodec, Ports: 1}
	tellM  = tenon.Method[int, int]{Name: "prog.Talk/Tell", Shape: "(n int) ()", Args: intCodec, Result: intCodec, OneWay: true}
	visitF = tenon.Method[int, int]{Name: "prog.Talk/Visit.f", Args: intCodec, Result: intCodec}
)

// A fault is what happens in the middle of a stream, on either side.
type fault int

const (
	none fault = iota
	failure
	panics
	goexits
	breaks // no more, please
	blocks // until its context ends
	slow
	reports // progress
	faults
)

var errOnPurpose = errors.New("on purpose")

// do does what the fault does on goroutines that may panic.
func (f fault) do(ctx context.Context) error {
	switch f {
	case failure:
		return errOnPurpose
	case panics:
		panic(errOnPurpose)
	case goexits:
		runtime.Goexit()
	case blocks:
		<-ctx.Done()
		return ctx.Err()
	case slow:
		time.Sleep(300 * time.Microsecond)
	case reports:
		tenon.ReportProgress(ctx, 1, 2, "half")
	}
	return nil
}

func plan(f fault, items int) int        { return int(f)*1_000_000 + items }
func planned(n int) (f fault, items int) { return fault(n / 1_000_000), n % 1_000_000 }
func (f fault) harmless() bool           { return f == none || f == slow || f == reports }
func (f fault) at(i, items int) bool     { return f != none && i == items/2 }
func wrongItem(got, want int) error      { return fmt.Errorf("item %d came as %d", want, got) }
func isWrong(err error) bool             { return errors.Is(err, errWrong) }
func wrong(format string, a ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errWrong}, a...)...)
}

var errWrong = errors.New("wrong")

// numbers are 0 to items-1 with a fault among them.
func numbers(ctx context.Context, f fault, items int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range items {
			if f.at(i, items) {
				if f == breaks {
					return
				}
				if err := f.do(ctx); err != nil {
					yield(0, err)
					return
				}
			}
			if !yield(i, nil) {
				return
			}
		}
	}
}

// talkServer adds the methods to a server.
func talkServer(srv *tenon.Server) *tenon.Server {
	// take counts items, which have to come in order.
	take := func(ctx context.Context, f fault, items int, in iter.Seq2[int, error]) (got int, err error) {
		for v, err := range in {
			if err != nil {
				return got, err
			}
			if v != got {
				return got, &tenon.Error{Code: tenon.Broken, Message: wrongItem(v, got).Error()}
			}
			got++
			if f.at(got, items) {
				if f == breaks {
					break
				}
				if err := f.do(ctx); err != nil {
					return got, err
				}
			}
		}
		return got, nil
	}
	tenon.Handle(srv, &outM, func(ctx context.Context, n int) (int, error) {
		f, items := planned(n)
		return 0, tenon.Output(ctx, 1, &intItem, numbers(ctx, f, items))
	})
	tenon.Handle(srv, &inM, func(ctx context.Context, n int) (int, error) {
		f, items := planned(n)
		return take(ctx, f, items, tenon.Input(ctx, 1, &intItem))
	})
	tenon.Handle(srv, &echoM, func(ctx context.Context, n int) (int, error) {
		f, items := planned(n)
		got := 0
		return 0, tenon.Output(ctx, 2, &bytesItem, func(yield func([]byte, error) bool) {
			for p, err := range tenon.Input(ctx, 1, &bytesItem) {
				if got++; err == nil && f.at(got, items) {
					if f == breaks {
						return
					}
					err = f.do(ctx)
				}
				if !yield(p, err) || err != nil {
					return
				}
			}
		})
	})
	tenon.Handle(srv, &pairM, func(ctx context.Context, n int) (int, error) {
		f, items := planned(n)
		var got int
		err := tenon.Outputs(ctx, tenon.OutputPort(2, &intItem, func(yield func(int, error) bool) {
			for v, err := range tenon.Input(ctx, 1, &intItem) {
				got++
				if !yield(v, err) {
					return
				}
			}
		}), tenon.OutputPort(3, &intItem, numbers(ctx, f, items)))
		return got, err
	})
	var tellers sync.Map
	tenon.Handle(srv, &tellM, func(ctx context.Context, n int) (int, error) {
		f, _ := planned(n)
		if f == blocks {
			f = slow
		}
		tellers.Store(n, true)
		return 0, f.do(ctx)
	})
	tenon.Handle(srv, &visitM, func(ctx context.Context, n int) (int, error) {
		mode, items := planned(n)
		f := tenon.Func(ctx, 1)
		if f == nil {
			return -1, nil
		}
		var (
			total  atomic.Int64
			wrong  atomic.Pointer[error]
			visits sync.WaitGroup
		)
		for g := range 4 {
			visits.Go(func() {
				for i := g; i < items; i += 4 {
					v, err := visitF.Call(ctx, f, i)
					if err != nil {
						wrong.CompareAndSwap(nil, &err)
						return
					}
					total.Add(int64(v))
				}
			})
		}
		if mode != breaks {
			visits.Wait()
		}
		go visitF.Call(context.WithoutCancel(ctx), f, 1) // when it is over, perhaps
		if err := wrong.Load(); err != nil {
			return 0, *err
		}
		if err := mode.do(ctx); err != nil {
			return 0, err
		}
		return int(total.Load()), nil
	})
	tenon.Handle(srv, &diveM, dive)
	return srv
}

// dive goes n levels down, through calls back, through functions, and out of the
// middle of streams, and returns n.
func dive(ctx context.Context, n int) (int, error) {
	if n == 0 {
		return 0, nil
	}
	back := tenon.ConnFrom(ctx)
	var deeper int
	var err error
	switch n % 3 {
	case 0:
		deeper, err = diveM.Call(ctx, back, n-1, diver())
	case 1:
		deeper, err = visitF.Call(ctx, tenon.Func(ctx, 1), n-1)
	case 2:
		for v, failed := range tenon.Stream(ctx, &outM, back, plan(none, 5), &intItem) {
			if failed != nil {
				return 0, failed
			}
			if v == 2 {
				if deeper, err = diveM.Call(ctx, back, n-1, diver()); err != nil {
					return 0, err
				}
			}
		}
	}
	return deeper + 1, err
}

func diver() tenon.Port {
	return tenon.FuncPort(&visitF, func(ctx context.Context, n int) (int, error) {
		return diveM.Call(ctx, tenon.ConnFrom(ctx), n, diver())
	})
}

func TestFiftyDeep(t *testing.T) {
	for name, pair := range programLinks(t) {
		if strings.HasSuffix(name, "breaking") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			a, b := pair()
			conn := handling(t, a, b, func(srv *tenon.Server) { talkServer(srv) })
			waitFor(t, "the dive", 30*time.Second, func() {
				var divers sync.WaitGroup
				for range 4 {
					divers.Go(func() {
						if got, err := diveM.Call(t.Context(), conn, 50, diver()); got != 50 || err != nil {
							t.Error(got, err)
						}
					})
				}
				divers.Wait()
			})
		})
	}
}

// A talkStep is one call with streams, functions or progress, made of the number
// of a step.
type talkStep struct {
	ctx         context.Context
	to          tenon.Caller
	ours, there fault // on the caller's side, and on the other one
	items       int
}

// outcome is the error of the step: nil if what came is right, or if it failed as
// things fail.
func (s *talkStep) outcome(err error, complete bool, what string) error {
	if isWrong(err) {
		return err
	}
	if err == nil && !complete && s.ours.harmless() && s.there.harmless() {
		return wrong("%s: incomplete, and no error", what)
	}
	return expect(err, true, what)
}

// run makes the call. It recovers the panics that it was to see.
func (s *talkStep) run(kind int) (err error) {
	defer func() {
		if p := recover(); p != nil && p != errOnPurpose {
			panic(p)
		}
	}()
	ctx := tenon.WithProgress(s.ctx, func(tenon.Progress) {})
	if s.items%2 == 0 {
		ctx = s.ctx
	}
	switch kind {
	case 0:
		return s.out(ctx)
	case 1:
		got, err := inM.Call(ctx, s.to, plan(s.there, s.items), tenon.InputPort(&intItem, numbers(ctx, s.ours, s.items)))
		return s.outcome(err, got == s.items, "input")
	case 2:
		return s.echo(ctx)
	case 3:
		return s.pair(ctx)
	case 4:
		f := func(ctx context.Context, i int) (int, error) {
			if s.ours.at(i, s.items%20) {
				if err := s.ours.do(ctx); err != nil {
					return 0, err
				}
			}
			return 1, nil
		}
		got, err := visitM.Call(ctx, s.to, plan(s.there, s.items%20), tenon.FuncPort(&visitF, f))
		return s.outcome(err, got == s.items%20, "visit")
	case 5:
		depth := s.items % 51
		got, err := diveM.Call(ctx, s.to, depth, diver())
		return s.outcome(err, got == depth, "dive")
	default:
		_, err := tellM.Call(ctx, s.to, plan(s.there, 0))
		return s.outcome(err, true, "tell")
	}
}

func (s *talkStep) out(ctx context.Context) error {
	got := 0
	for v, err := range tenon.Stream(ctx, &outM, s.to, plan(s.there, s.items), &intItem) {
		if err != nil {
			return s.outcome(err, true, "output")
		}
		if v != got {
			return wrong("%w", wrongItem(v, got))
		}
		if s.ours.at(got, s.items) {
			if s.ours == breaks {
				return nil
			}
			if err := s.ours.do(ctx); err != nil {
				return nil
			}
		}
		got++
	}
	return s.outcome(nil, got == s.items, "output")
}

// echo sends pieces of all sizes, and gets them back.
func (s *talkStep) echo(ctx context.Context) error {
	items := s.items % 40
	piece := func(i int) []byte { return bytes.Repeat([]byte{byte(i), byte(s.items)}, i*i*s.items%30_000) }
	in := func(yield func([]byte, error) bool) {
		for i, err := range numbers(ctx, s.ours, items) {
			if !yield(piece(i), err) {
				return
			}
		}
	}
	got := 0
	for p, err := range tenon.Stream(ctx, &echoM, s.to, plan(s.there, items), &bytesItem, tenon.InputPort(&bytesItem, in)) {
		if err != nil {
			return s.outcome(err, true, "echo")
		}
		if !bytes.Equal(p, piece(got)) {
			return wrong("piece %d has %d bytes", got, len(p))
		}
		if got++; s.ours == breaks && s.items%3 == 0 {
			return nil
		}
	}
	return s.outcome(nil, got == items, "echo")
}

// pair takes two results at the same time.
func (s *talkStep) pair(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := tenon.Streams(ctx, &pairM, s.to, plan(s.there, s.items), tenon.InputPort(&intItem, numbers(ctx, s.ours, s.items)))
	errs := make(chan error, 2)
	var loops sync.WaitGroup
	for port := 2; port <= 3; port++ {
		loops.Go(func() {
			var err error
			defer func() { // one of the two sees the panic of an input
				if p := recover(); p != nil && p != errOnPurpose {
					panic(p)
				}
				errs <- err
			}()
			got := 0
			for v, failed := range tenon.StreamOf(r, port, &intItem) {
				if failed != nil {
					err = s.outcome(failed, true, "one of two")
					return
				}
				if v != got {
					err = wrong("%w", wrongItem(v, got))
					return
				}
				if got++; s.ours == breaks && s.items%3 == 0 {
					return
				}
			}
			err = s.outcome(nil, got == s.items, "one of two")
		})
	}
	loops.Wait()
	return errors.Join(<-errs, <-errs)
}

// talk begins the call of step i that n says.
func (d *driver) talk(ctx context.Context, cancel context.CancelFunc, to tenon.Caller, i, n int) {
	s := &talkStep{ctx: ctx, to: to, items: (i*37 + n*101) % 1500}
	switch mix := i*7 + n*3; mix % 4 {
	case 1:
		s.ours = fault(mix / 4 % int(faults))
	case 2:
		s.there = fault(mix / 4 % int(faults))
	case 3:
		s.ours, s.there = fault(mix/4%int(faults)), fault(mix/9%int(faults))
	}
	kind := n % 7
	done := context.CancelFunc(func() {})
	if i%5 == 0 {
		s.ctx, done = context.WithTimeout(ctx, time.Duration(n)*300*time.Microsecond)
	}
	do := func() {
		defer done()
		d.check(s.run(kind))
	}
	// Calls that need further calls can hold each other up where few may be open.
	if s.ours == blocks || s.there == blocks || kind == 4 || kind == 5 {
		time.AfterFunc(time.Duration(1+n)*time.Millisecond, cancel)
		d.endless.Go(do)
	} else {
		d.calls.Go(do)
	}
}
