package pool

import (
	"context"
	"fmt"
)

// Ready waits until the pool is at full strength: until every place of it has a
// member that takes calls, as after deaths or a [Pool.Resize]. A death counts from
// the moment that the pool has noticed it, at the latest when a call that it took
// along has failed. When ctx ends first, the error says how many are missing, why
// the last start failed if one did, and wraps ctx's; after Close it is [ErrClosed].
func (p *Pool) Ready(ctx context.Context) error {
	for {
		p.mu.Lock()
		closed, changed, places, missing := p.closed, p.changed, len(p.places), 0
		for _, k := range p.places {
			if !k.present {
				missing++
			}
		}
		p.mu.Unlock()
		switch {
		case closed:
			return ErrClosed
		case missing == 0:
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			err := fmt.Errorf("pool: %d of %d members are missing: %w", missing, places, ctx.Err())
			if last := p.lastFailure(); last != nil {
				err = fmt.Errorf("%w; the last start failed: %w", err, last)
			}
			return err
		}
	}
}

// announce tells those in Ready to look again. p.mu is held.
func (p *Pool) announce() {
	close(p.changed)
	p.changed = make(chan struct{})
}
