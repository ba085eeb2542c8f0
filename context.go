package tenon

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

type (
	connKey struct{}
	callKey struct{}
)

// ConnFrom returns the connection over which the call came that ctx belongs to,
// or nil outside a handler. Calling through it is a call back to the caller's
// side.
func ConnFrom(ctx context.Context) *Conn {
	conn, _ := ctx.Value(connKey{}).(*Conn)
	return conn
}

// A callContext is the context of one running handler. It is made for one call
// and never reused, since a handler may keep it. Its channel and its timer exist
// only when somebody asks for them, which most short handlers do not.
type callContext struct {
	conn        *Conn
	deadline    time.Time
	hasDeadline bool
	metadata    map[string]string

	mu             sync.Mutex
	answerMetadata []byte // encoded; see SetAnswerMetadata
	err            error
	ended          atomic.Bool // err is set: for a look without mu
	watched        atomic.Bool // timer is set
	done           chan struct{}
	timer          *time.Timer
	afters         map[*func()]struct{}
}

func (c *callContext) Deadline() (time.Time, bool) { return c.deadline, c.hasDeadline }

// hidden reports whether a key is about the one call whose context it is.
func hidden(key any) bool {
	switch key {
	case connKey{}, incomingKey{}, answerKey{}, outgoingKey{}, progressKey{}, inputsKey{}:
		return true
	}
	return false
}

func (c *callContext) Value(key any) any {
	switch key {
	case connKey{}:
		return c.conn
	case incomingKey{}:
		return c.metadata
	case answerKey{}:
		return c
	case outgoingKey{}, progressKey{}, inputsKey{}:
		return nil // what our own side sends is another matter
	}
	return c.conn.base.Value(key)
}

func (c *callContext) Err() error {
	if !c.ended.Load() && (!c.hasDeadline || c.watched.Load()) {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil && c.hasDeadline && c.timer == nil && !time.Now().Before(c.deadline) {
		c.end(context.DeadlineExceeded)
	}
	return c.err
}

func (c *callContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			close(c.done)
		}
		c.watchDeadline()
	}
	return c.done
}

// AfterFunc lets package context derive contexts without a goroutine each.
func (c *callContext) AfterFunc(f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	if c.afters == nil {
		c.afters = make(map[*func()]struct{})
	}
	key := &f
	c.afters[key] = struct{}{}
	c.watchDeadline()
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, waiting := c.afters[key]
		delete(c.afters, key)
		return waiting
	}
}

func (c *callContext) watchDeadline() {
	if c.hasDeadline && c.err == nil && c.timer == nil {
		c.timer = time.AfterFunc(time.Until(c.deadline), func() { c.cancel(context.DeadlineExceeded) })
		c.watched.Store(true)
	}
}

// cancel ends the context; the first reason stays.
func (c *callContext) cancel(reason error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(reason)
}

func (c *callContext) end(reason error) {
	if c.err != nil {
		return
	}
	c.err = reason
	c.ended.Store(true)
	if c.done != nil {
		close(c.done)
	}
	if c.timer != nil {
		c.timer.Stop()
	}
	for f := range c.afters {
		go (*f)()
	}
	c.afters = nil
}

var _ context.Context = (*callContext)(nil)
