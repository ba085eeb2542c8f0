//go:build !linux

package futex

import (
	"sync"
	"sync/atomic"
	"time"
)

// Shared reports whether a Wake reaches other processes.
const Shared = false

// sleepers holds one channel per word on which somebody sleeps; Wake closes it.
var (
	mu       sync.Mutex
	sleepers = map[*uint32]*bed{}
)

type bed struct {
	woken chan struct{}
	users int
}

// Wait sleeps while *word equals value, at most for timeout (0: without limit).
// It may return early; callers look again.
func Wait(word *uint32, value uint32, timeout time.Duration) {
	mu.Lock()
	if atomic.LoadUint32(word) != value {
		mu.Unlock()
		return
	}
	b := sleepers[word]
	if b == nil {
		b = &bed{woken: make(chan struct{})}
		sleepers[word] = b
	}
	b.users++
	mu.Unlock()

	var late <-chan time.Time
	if timeout > 0 {
		t := time.NewTimer(timeout)
		defer t.Stop()
		late = t.C
	}
	select {
	case <-b.woken:
	case <-late:
	}

	mu.Lock()
	defer mu.Unlock()
	b.users--
	if b.users == 0 && sleepers[word] == b {
		delete(sleepers, word)
	}
}

// Wake wakes everybody who waits on word.
func Wake(word *uint32) {
	mu.Lock()
	defer mu.Unlock()
	if b := sleepers[word]; b != nil {
		delete(sleepers, word)
		close(b.woken)
	}
}
