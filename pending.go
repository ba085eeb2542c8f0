package tenon

import (
	"context"
	"slices"
	"sync"

	"github.com/tenon-go/tenon/internal/call"
	"github.com/tenon-go/tenon/internal/wire"
)

// pendingCalls are the calls that this side made and that are not settled. A
// call leaves it exactly once, and whoever takes it out settles it.
type pendingCalls struct {
	reader *reader

	mu       sync.Mutex
	open     openCalls[*call.Call] // nil: the caller gave up, the answer is still due
	places   map[uint32]place      // what calls occupy whose callers gave up
	oneWay   map[uint32]struct{}   // calls that are published, and not answered
	admitted int                   // calls that have a place and no id yet
	last     uint32                // the id given out last
	limit    int                   // how many the peer accepts
	line     []*call.Call          // those that wait for a place
	freed    chan struct{}         // closed when a call is settled; nil: nobody waits
	ended    *Error                // what later calls get
	over     bool                  // functions of open calls get it too
}

// A place is what a call occupies whose caller gave up.
type place struct {
	call.Place
	scarce bool
}

func newPendingCalls() *pendingCalls {
	return new(pendingCalls)
}

// admit gives a call a place. At the peer's limit its caller waits in line for one
// until ctx ends, and may read meanwhile.
func (c *Conn) admit(ctx context.Context, open *call.Call) error {
	p := c.pending
	if placed, err := p.place(open); placed || err != nil {
		return err
	}
	if err := c.sender.flushLazy(ctx); err != nil && linkEnded(err) {
		c.sendFailed(err) // everybody in line is told with the others
	}
	if err := c.await(ctx, &open.Waiter); err != nil {
		if !p.leave(open) {
			<-open.Settled // this moment
			p.dismiss()
		}
		return err
	}
	return p.refuseLate(open)
}

// refuses reports whether c comes too late. p.mu is held.
func (p *pendingCalls) refuses(c *call.Call) bool {
	return p.ended != nil && (p.over || c.Port == 0)
}

// place gives a call a place if there is one, or else puts it in line. Who is told has
// a place, if only to learn that there are no more calls.
func (p *pendingCalls) place(c *call.Call) (placed bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuses(c) {
		return false, p.refusal()
	}
	if p.open.len()+p.admitted >= p.limit {
		p.line = append(p.line, c)
		return false, nil
	}
	p.admitted++
	return true, nil
}

// leave takes a caller out of the line. It reports false when it is being told.
func (p *pendingCalls) leave(c *call.Call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.line, c)
	if i < 0 {
		return false
	}
	p.line = slices.Delete(p.line, i, i+1)
	return true
}

// refuseLate takes the place back from a call that waited for it too long.
func (p *pendingCalls) refuseLate(c *call.Call) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.refuses(c) {
		return nil
	}
	p.admitted--
	return p.refusal()
}

// dismiss gives the place of a call back that got no id.
func (p *pendingCalls) dismiss() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.admitted--
	p.room(nil)
}

// add gives c, which has a place, its id. It is called in the writer's role just
// before the call's first frame is committed: ids appear on the wire in order, so
// that the peer can say up to which one it has accepted.
func (p *pendingCalls) add(c *call.Call) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuses(c) {
		return p.refusal()
	}
	for {
		p.last++
		if _, taken := p.open.get(p.last); p.last != 0 && !taken {
			break
		}
	}
	p.admitted--
	p.open.set(p.last, c)
	c.ID = p.last
	if t := talkOf(c); t != nil {
		t.begun(c.ID)
	}
	return nil
}

// talking returns what the call has beside arguments and answer, or nil: it has
// nothing, or is over.
func (p *pendingCalls) talking(id uint32) *talking {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, _ := p.open.get(id); c != nil {
		if t := talkOf(c); t != nil {
			return t.now
		}
	}
	return nil
}

// isOver reports whether later calls are refused.
func (p *pendingCalls) isOver() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended != nil
}

// wait waits until no call is open, and returns false when done is closed first.
func (p *pendingCalls) wait(done <-chan struct{}) bool {
	return p.waitFor(done, func() bool { return p.open.len() == 0 })
}

// waitOneWay does the same for one-way calls.
func (p *pendingCalls) waitOneWay(done <-chan struct{}) bool {
	return p.waitFor(done, func() bool { return len(p.oneWay) == 0 })
}

// waitFor waits until settled, which is called with p.mu held.
func (p *pendingCalls) waitFor(done <-chan struct{}, settled func() bool) bool {
	for {
		p.mu.Lock()
		if settled() {
			p.mu.Unlock()
			return true
		}
		if p.freed == nil {
			p.freed = make(chan struct{})
		}
		freed := p.freed
		p.mu.Unlock()
		select {
		case <-freed:
		case <-done:
			return false
		}
	}
}

// refusal is the error of a call that comes too late.
func (p *pendingCalls) refusal() *Error {
	e := *p.ended
	e.SafeToRetry = true
	return &e
}

// take removes the call that an answer is for. known is false for an id that is
// not open; c is nil when its caller gave up. r is as in room.
func (p *pendingCalls) take(r *reader, id uint32) (c *call.Call, known bool) {
	p.mu.Lock()
	if c, known = p.open.take(id); known {
		p.room(r)
		delete(p.oneWay, id)
	}
	var left place
	if known && c == nil {
		left = p.places[id]
		delete(p.places, id)
	}
	p.mu.Unlock()
	if left.Place != nil {
		left.Leave()
	}
	if left.scarce {
		r.freed()
	}
	return c, known
}

// abandon says that the caller of c gave up, or never waits; what c occupies, it occupies until
// the answer comes. It reports false when the call is being settled this moment:
// the caller then waits for that.
func (p *pendingCalls) abandon(c *call.Call) bool {
	p.mu.Lock()
	if open, _ := p.open.get(c.ID); open != c {
		p.mu.Unlock()
		return false
	}
	p.open.set(c.ID, nil)
	if c.Method.OneWay {
		if p.oneWay == nil {
			p.oneWay = make(map[uint32]struct{})
		}
		p.oneWay[c.ID] = struct{}{}
	}
	scarce := c.Place != nil && c.Place.Scarce()
	if scarce {
		p.reader.scarce.Add(1)
	}
	if c.Place != nil {
		if p.places == nil {
			p.places = make(map[uint32]place)
		}
		p.places[c.ID], c.Place = place{c.Place, scarce}, nil
	}
	p.mu.Unlock()
	if scarce {
		p.reader.rouse()
	}
	return true
}

// forget removes a call that was never published.
func (p *pendingCalls) forget(id uint32) bool {
	c, _ := p.take(nil, id)
	return c != nil
}

// setLimit opens the gate as wide as the peer's hello allows. It runs in the reader's role.
func (p *pendingCalls) setLimit(r *reader, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limit = n
	p.room(r)
}

// shut makes later calls fail with err, but for functions of open ones, and leaves
// those alone.
func (p *pendingCalls) shut(err *Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = err
	p.room(nil)
}

// refuse does the same and takes out those that came after the call last. The peer may
// still answer them: their ids stay open. It runs in the reader's role.
func (p *pendingCalls) refuse(r *reader, last uint32, err *Error) (refused []*call.Call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = err
	for id, open := range p.open.all {
		if open != nil && open.Port == 0 && wire.After(id, last) {
			p.open.set(id, nil)
			refused = append(refused, open)
		}
	}
	p.room(r)
	return refused
}

// end makes all later calls fail with err and returns those still open.
func (p *pendingCalls) end(err *Error) (open []*call.Call) {
	p.mu.Lock()
	for _, c := range p.open.all {
		if c != nil {
			open = append(open, c)
		}
	}
	places := p.places
	p.open, p.places, p.oneWay = openCalls[*call.Call]{}, nil, nil
	if p.ended == nil {
		p.ended = err
	}
	p.over = true
	p.room(nil)
	p.mu.Unlock()
	for _, place := range places {
		place.Leave()
	}
	return open
}

// room is called when a place may have become free, or there are no more calls: those that
// come first in line get it, and all that come too late. r is the reader if its role is the
// caller's, else nil. p.mu is held.
func (p *pendingCalls) room(r *reader) {
	if p.freed != nil {
		close(p.freed)
		p.freed = nil
	}
	tell := func(c *call.Call) {
		p.admitted++
		p.reader.end(&c.Waiter, r)
	}
	if p.ended != nil {
		p.line = slices.DeleteFunc(p.line, func(c *call.Call) bool {
			late := p.refuses(c)
			if late {
				tell(c)
			}
			return late
		})
	}
	for len(p.line) > 0 && p.open.len()+p.admitted < p.limit {
		first := p.line[0]
		p.line = p.line[1:]
		tell(first)
	}
	if len(p.line) == 0 {
		p.line = nil
	}
}
