package pool

import (
	"slices"
	"sync"
)

// A waiter is a call that waits in line for a seat. It is reused: a call that
// waits costs no allocation.
type waiter struct {
	wish   wish
	ticket uint64 // who came earlier has a smaller one
	line   *line  // where it waits
	seat   *seat  // what it was given; nil when the pool was closed
	ready  chan struct{}
}

// ready holds one token once a waiter was served.
var waiters = sync.Pool{New: func() any { return &waiter{ready: make(chan struct{}, 1)} }}

// A line is waiters, first come first served.
type line struct {
	list []*waiter
	head int
}

func (l *line) len() int { return len(l.list) - l.head }

// older returns the line whose first waiter came first, nil if nobody waits.
func older(a, b *line) *line {
	switch {
	case a.len() == 0 && b.len() == 0:
		return nil
	case a.len() == 0:
		return b
	case b.len() == 0 || a.list[a.head].ticket < b.list[b.head].ticket:
		return a
	}
	return b
}

func (l *line) push(w *waiter) {
	if l.head > 32 && l.head > len(l.list)/2 {
		l.list = slices.Delete(l.list, 0, l.head)
		l.head = 0
	}
	w.line = l
	l.list = append(l.list, w)
}

func (l *line) pop() *waiter {
	w := l.list[l.head]
	l.list[l.head] = nil
	l.head++
	if l.head == len(l.list) {
		l.list, l.head = l.list[:0], 0
	}
	return w
}

// remove takes w out of the line and reports whether it was there.
func (l *line) remove(w *waiter) bool {
	i := slices.Index(l.list[l.head:], w)
	if i < 0 {
		return false
	}
	l.list = slices.Delete(l.list, l.head+i, l.head+i+1)
	return true
}
