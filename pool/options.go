package pool

import (
	"errors"
	"fmt"
	"time"
)

// An Option changes how a pool spreads, queues and replaces.
type Option func(*options)

type options struct {
	concurrency int64
	queue       int
	grace       time.Duration
	onStart     func(Member)
	onExit      func(Member, error)
	onFail      func(error)
	misuse      error
}

// Concurrency bounds how many calls of the pool a member has at once. 1 is the
// setting for isolation: each call has a worker to itself, so a crash or a memory
// limit costs one call. The default, 0, is no bound: small calls share their
// workers, and a crash takes along all that the worker had in hand.
//
// A call whose caller gave up counts until its handler has heeded its context and
// ended. A handler that never does keeps its place for good, until its member
// ends.
func Concurrency(n int) Option { return func(o *options) { o.concurrency = int64(n) } }

// Queue bounds how many calls may wait for a member; 0 means that a call which
// finds none free fails at once. The default is 65,536.
func Queue(n int) Option { return func(o *options) { o.queue = n } }

// Grace bounds how long running calls, streams too, may go on when their members
// have to leave: at [Pool.Close], and after a [Pool.Resize] to fewer. Then they are
// broken off, with an error that says so. The default is 5 s.
func Grace(d time.Duration) Option { return func(o *options) { o.grace = d } }

// OnStart is called with every member that joins the pool, replacements
// included, before its first call.
func OnStart(f func(Member)) Option { return func(o *options) { o.onStart = f } }

// OnExit is called with every member that ended, and why where the member knows
// (it has an Err method); nil when it ended in order.
func OnExit(f func(Member, error)) Option { return func(o *options) { o.onExit = f } }

// OnStartFailure is called with the error of every replacement that could not
// be started.
func OnStartFailure(f func(error)) Option { return func(o *options) { o.onFail = f } }

func newOptions(opts []Option) options {
	o := options{
		queue:   64 << 10,
		grace:   5 * time.Second,
		onStart: func(Member) {},
		onExit:  func(Member, error) {},
		onFail:  func(error) {},
	}
	for _, opt := range opts {
		if opt == nil {
			o.misuse = errors.New("pool: an option is nil")
			continue
		}
		opt(&o)
	}
	return o
}

// check says which option makes no sense, and what would.
func (o *options) check() error {
	switch {
	case o.misuse != nil:
		return o.misuse
	case o.concurrency < 0:
		return fmt.Errorf("pool.Concurrency(%d): 0 is no bound, 1 a call at a time", o.concurrency)
	case o.queue < 0:
		return fmt.Errorf("pool.Queue(%d): 0 has calls fail that find no member free", o.queue)
	case o.grace < 0:
		return fmt.Errorf("pool.Grace(%v): 0 waits for no call, and less is not possible", o.grace)
	case o.onStart == nil || o.onExit == nil || o.onFail == nil:
		return errors.New("pool: OnStart, OnExit and OnStartFailure need a function to call")
	}
	return nil
}
