package worker

import (
	"math"
	"sync"
	"sync/atomic"
)

// A gate counts the calls that are inside and can be closed for new ones. It
// costs a call two atomic additions.
type gate struct {
	state atomic.Int64 // calls inside; shut is added when it is closed
	once  sync.Once
	empty chan struct{}
}

const shut = math.MinInt64

func (g *gate) enter() bool {
	if g.state.Add(1) > 0 {
		return true
	}
	g.leave()
	return false
}

// Leave makes a gate a call.Place.
func (g *gate) Leave() { g.leave() }

// Scarce reports false: there is room for all.
func (g *gate) Scarce() bool { return false }

func (g *gate) leave() {
	if g.state.Add(-1) == shut {
		g.settle()
	}
}

func (g *gate) close() {
	if g.state.Or(shut) == 0 {
		g.settle()
	}
}

func (g *gate) settle() { g.once.Do(func() { close(g.empty) }) }

// idle is closed when the gate is closed and the last call has left.
func (g *gate) idle() <-chan struct{} { return g.empty }
