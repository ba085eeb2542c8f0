package tenon

import (
	"context"
	"sync"
	"time"

	"github.com/tenon-go/tenon/internal/wire"
)

// pings are the pings that have not come back.
type pings struct {
	mu   sync.Mutex
	last uint32
	out  map[uint32]chan struct{}
}

// Ping asks the other side for a sign of life and returns how long that took. The
// connection answers by itself: a Ping says that the peer's process runs and
// reads, not that its handlers do well.
func (c *Conn) Ping(ctx context.Context) (time.Duration, error) {
	select {
	case <-c.peer.ready:
	case <-ctx.Done():
		return 0, c.explain(ctx, unsent(ctx.Err()), "ping")
	}
	begun := time.Now()
	number, back := c.pings.add()
	defer c.pings.remove(number)
	c.outbox.ping(number)
	c.reader.rouse()
	select {
	case <-back:
		return time.Since(begun), nil
	case <-ctx.Done():
		return 0, c.explain(ctx, contextError(ctx.Err()), "ping")
	case <-c.over:
		return 0, c.explain(ctx, unsent(c.failed), "ping") // it runs nothing
	}
}

func (p *pings) add() (number uint32, back <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out == nil {
		p.out = make(map[uint32]chan struct{})
	}
	p.last++
	c := make(chan struct{})
	p.out[p.last] = c
	return p.last, c
}

func (p *pings) remove(number uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.out, number)
}

// returned takes a pong, which answers the ping with its number and those before:
// a busy peer answers several at once.
func (p *pings) returned(number uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n, c := range p.out {
		if !wire.After(n, number) {
			close(c)
			delete(p.out, n)
		}
	}
}
