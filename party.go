package tenon

import (
	"context"
	"sync/atomic"

	"github.com/tenon-go/tenon/internal/call"
)

// A party is one goroutine that takes part in a call with streams and waits, from
// time to time, for what the other side sends: items, credit, the end. Like any
// caller it may read for itself meanwhile.
type party struct {
	conn    *Conn
	waiter  call.Waiter
	waiting atomic.Bool // whoever makes it false ends the wait, once
	alert   atomic.Bool // there is something to do before it goes on
	act     func() error
}

func newParty(c *Conn) *party {
	p := &party{conn: c, waiter: call.NewWaiter()}
	p.waiter.Stays = true
	return p
}

// wait waits until ready reports true, which wake has it ask again. It returns
// ctx's error if that ends first, and what act returns if that is one. It belongs
// to the party's goroutine.
func (p *party) wait(ctx context.Context, ready func() bool) error {
	for {
		if err := p.attend(); err != nil {
			return err
		}
		if ready() {
			return nil
		}
		// Who changes something looks at waiting after that: it sees us, or
		// we see the change.
		p.waiting.Store(true)
		if ready() || p.alert.Load() {
			p.calm()
			continue
		}
		if err := p.conn.await(ctx, &p.waiter); err != nil {
			p.calm()
			return err
		}
	}
}

// attend acts if there is something to do. It belongs to the party's goroutine.
func (p *party) attend() error {
	if !p.alert.Load() {
		return nil
	}
	p.alert.Store(false)
	return p.act()
}

// calm ends a wait that nobody has ended; else it takes the end that was told.
func (p *party) calm() {
	if !p.waiting.CompareAndSwap(true, false) {
		<-p.waiter.Settled
	}
}

// wake ends the wait, if there is one. r is the reader if its role is the
// caller's, else nil.
func (p *party) wake(r *reader) {
	if p.waiting.Load() && p.waiting.CompareAndSwap(true, false) {
		p.conn.reader.end(&p.waiter, r)
	}
}

// call has the party act before it goes on.
func (p *party) call(r *reader) {
	p.alert.Store(true)
	p.wake(r)
}
