package pool

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/tenon-go/tenon"
)

// An Answer is what f of [Each] returned for one member.
type Answer[T any] struct {
	Name  string // the member's, where it has one
	PID   int    // of a worker, else 0
	Value T
}

// Each calls f once for every member that is there, all at the same time, and
// yields what they return in the order in which they come: each with who it was,
// and with its error, which does not end the others. It is for what every worker
// shall do, such as empty a cache or say how it is; it heeds no [Concurrency].
//
//	for cache, err := range pool.Each(ctx, p, func(ctx context.Context, m tenon.Caller) (int, error) {
//		return cache.NewCacheClient(m).Clear(ctx)
//	}) {
//		...
//	}
//
// f runs on goroutines of its own, with a context that ends when the loop is left;
// all have returned when the loop ends. A panic of f is raised again in the loop.
// Each time the result is ranged over, f is called anew, for the members of that
// moment. Of a pool that is closed it yields [ErrClosed].
func Each[T any](ctx context.Context, p *Pool, f func(ctx context.Context, m tenon.Caller) (T, error)) iter.Seq2[Answer[T], error] {
	return func(yield func(Answer[T], error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var calls sync.WaitGroup
		defer calls.Wait()
		defer cancel()
		seats, closed := p.current()
		if closed {
			yield(Answer[T]{}, ErrClosed)
			return
		}
		type outcome struct {
			answer   Answer[T]
			err      error
			panicked any
		}
		outcomes := make(chan outcome, len(seats))
		for _, s := range seats {
			s.enter()
			calls.Go(func() {
				var o outcome
				returned := false
				defer func() {
					if !returned {
						if o.panicked = recover(); o.panicked == nil {
							o.err = errors.New("the function given to pool.Each ended its goroutine (runtime.Goexit)")
						}
					}
					p.release(s)
					outcomes <- o
				}()
				o.answer.Name, o.answer.PID = identity(s.member)
				o.answer.Value, o.err = f(ctx, s.member)
				returned = true
			})
		}
		for range seats {
			o := <-outcomes
			if o.panicked != nil {
				cancel()
				calls.Wait()
				panic(o.panicked)
			}
			if !yield(o.answer, o.err) {
				return
			}
		}
	}
}

// current returns the members that take calls.
func (p *Pool) current() (seats []*seat, closed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return *p.seats.Load(), p.closed
}
