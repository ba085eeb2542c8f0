package pool

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/internal/call"
)

// A Member is what a pool calls through: a *worker.Worker, a *tenon.Conn, a
// *tenon.Client, or what [Local] returns. One
// that has a method Stop(context.Context) error is closed by it, so that it knows
// how long it may take; one with Err, Name or PID is reported with them.
type Member interface {
	tenon.Caller
	Done() <-chan struct{} // closed when it has ended
	Close() error
}

// A Pool spreads calls over its members and replaces those that end. It is a
// tenon.Caller.
type Pool struct {
	options
	start func(context.Context) (Member, error)

	// Every call reads seats and waiting, and changes turn: two cache lines.
	seats   atomic.Pointer[[]*seat] // of the members that take calls; never changed in place
	waiting atomic.Int64            // length of all lines; also counts who is about to join one
	_       [64]byte
	turn    atomic.Uint64 // where the search for the next seat starts
	_       [64]byte

	mu       sync.Mutex // guards what follows, and replacing seats
	line     line
	tickets  uint64        // of all lines
	changed  chan struct{} // closed when members come or go
	closed   bool
	failure  error // of the last start
	past     tally
	deaths   []Death
	leaving  map[*seat]bool // take no calls any more and have not ended
	places   []*keeper
	unfollow func() bool // stops following the context of New

	replaced, resent, rejected, gaveUp atomic.Uint64

	base     context.Context // of members
	quitting context.Context // ends when the pool is closed
	quit     context.CancelFunc
	hurrying context.Context // ends when running calls are waited for no longer
	hurry    context.CancelFunc
	forcing  context.Context // ends when members have to be gone
	force    context.CancelFunc
	keepers  sync.WaitGroup
}

// New starts n members with start, all at once, and returns when they are there;
// n < 1 means one per CPU available. If one cannot be started, the others are
// closed and New returns its error. The pool calls start again for every
// replacement.
//
// ctx is the pool's life: when it ends, the pool closes. The context that start
// gets ends when its member is to end.
func New(ctx context.Context, n int, start func(ctx context.Context) (Member, error), opts ...Option) (*Pool, error) {
	if n < 1 {
		n = runtime.GOMAXPROCS(0)
	}
	p := &Pool{options: newOptions(opts), start: start, changed: make(chan struct{})}
	if start == nil {
		return nil, errors.New("pool: New needs a function that starts members, such as one that calls worker.Start")
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	p.seats.Store(new([]*seat))
	p.base = context.WithoutCancel(ctx)
	p.quitting, p.quit = context.WithCancel(p.base)
	p.hurrying, p.hurry = context.WithCancel(p.base)
	p.forcing, p.force = context.WithCancel(p.base)

	// While the members start, the end of ctx or the first failure ends it all.
	unfollow := context.AfterFunc(ctx, p.quit)
	defer unfollow()
	first := make(chan error, n)
	for range n {
		k := p.keeper()
		p.keepers.Go(func() { k.runFirst(first) })
	}
	var failure error
	for range n {
		if err := <-first; err != nil && failure == nil {
			failure = err
			p.quit()
		}
	}
	if failure != nil {
		p.hurry()
		_ = p.Close()
		return nil, fmt.Errorf("pool: %w", failure)
	}
	p.mu.Lock()
	p.unfollow = context.AfterFunc(ctx, func() { _ = p.Close() })
	p.mu.Unlock()
	return p, nil
}

// Invoke carries a call to the member with the fewest in flight. See the
// guarantees of the package for what happens when there is none.
func (p *Pool) Invoke(ctx context.Context, c *call.Call) error {
	what := wishOf(ctx)
	for attempt := 0; ; attempt++ {
		s := p.free(what)
		if s == nil {
			var err error
			if s, err = p.wait(ctx, what, c.Method.Name); err != nil {
				return err
			}
		}
		err := p.on(ctx, s, c)
		if err == nil {
			return nil
		}
		p.note(s, err)
		if !worthAnother(err) {
			return s.explain(err)
		}
		s.doubt()
		if c.Spent || ctx.Err() != nil {
			return err
		}
		what.avoid = s
		if attempt > 0 && !sleep(ctx, min(time.Millisecond<<min(attempt, 10), doubtful)) {
			return err
		}
		p.resent.Add(1)
	}
}

// on carries the call to a member. The seat is free again when the handler has
// ended, which for a call that its caller gave up is later.
func (p *Pool) on(ctx context.Context, s *seat, c *call.Call) error {
	c.Place = s
	defer func() {
		if c.Place != nil {
			c.Place = nil
			p.release(s)
		}
	}()
	err := s.member.Invoke(ctx, c)
	if err == nil {
		s.succeeded()
	}
	return err
}

// note draws conclusions from a call that failed. Whoever is told that its member
// is gone does not find it in the pool afterwards.
func (p *Pool) note(s *seat, err error) {
	var e *tenon.Error
	if !errors.As(err, &e) {
		return
	}
	switch e.Code {
	case tenon.Unavailable:
		if conn := connOf(s.member); conn != nil && conn.Err() != nil {
			p.remove(s)
		}
	case tenon.DeadlineExceeded:
		if e.SafeToRetry && !s.answered.Load() {
			s.miss()
		}
	}
}

// Resize changes the number of members to n and does not wait for it; it panics
// if n is less than 1, which would leave calls waiting for nobody. Further ones
// join when they have started, and are tried again with pauses when they cannot be;
// those that are too many finish their calls first, within the pool's [Grace].
func (p *Pool) Resize(n int) {
	if n < 1 {
		panic(fmt.Sprintf("pool: Resize(%d): a pool has at least one member; Close ends it", n))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	for len(p.places) < n {
		p.keepers.Go(p.keeper().run)
	}
	for _, surplus := range p.places[n:] {
		surplus.leave()
	}
	clear(p.places[n:])
	p.places = p.places[:n]
	p.announce()
}

// Stop closes the pool. Calls that wait fail with [ErrClosed], running ones may
// finish, then the members are closed. ctx bounds the whole: of the time that it
// leaves, a quarter, at most a second, is kept for the members to end.
//
// Stop returns nil, when no member and no goroutine of the pool is left; how the
// members ended is told to [OnExit]. It may be called more than once and at any
// time, but not from a call of the pool.
func (p *Pool) Stop(ctx context.Context) error {
	drain := ctx
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline)
		var cancel context.CancelFunc
		drain, cancel = context.WithTimeout(ctx, left-min(left/4, time.Second))
		defer cancel()
	}
	defer context.AfterFunc(drain, p.hurry)()
	defer context.AfterFunc(ctx, p.force)()
	p.shut()
	p.keepers.Wait()
	p.hurry()
	p.force()
	return nil
}

// Close is [Pool.Stop] with the pool's [Grace].
func (p *Pool) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), p.grace)
	defer cancel()
	return p.Stop(ctx)
}

// shut refuses all further calls and has the keepers end.
func (p *Pool) shut() {
	p.mu.Lock()
	p.closed = true
	if p.unfollow != nil {
		p.unfollow()
	}
	p.dismiss(&p.line)
	for _, s := range *p.seats.Load() {
		p.dismiss(&s.line)
	}
	p.announce()
	p.mu.Unlock()
	p.quit()
}

// dismiss ends the waiting of a whole line. p.mu is held.
func (p *Pool) dismiss(l *line) {
	for l.len() > 0 {
		p.serve(l.pop(), nil)
	}
}
