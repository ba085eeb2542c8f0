package ring

import (
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/tenon-go/tenon/internal/futex"
)

// A Waiter puts a side to sleep and wakes the other one, whose Waiter must be
// of the same kind. Its methods may be called concurrently.
type Waiter interface {
	// Sleep returns soon after a Wake that follows a change of the word, at
	// once if the word is not value any more, and at the latest after timeout.
	// It may return early.
	Sleep(word *atomic.Uint32, value uint32, timeout time.Duration)

	// Wake ends every Sleep on word, which the caller has changed before.
	Wake(word *atomic.Uint32)
}

var (
	// Futex is the default: the goroutine sleeps in a blocking system call and
	// can be woken by another process. On systems other than Linux it works
	// between the goroutines of one process; another process is noticed within
	// half a second.
	Futex Waiter = futexWaiter{}

	// NeverSleep polls for ever, giving way to other goroutines in between. It
	// keeps a processor busy while it waits.
	NeverSleep Waiter = neverSleep{}
)

type futexWaiter struct{}

func (futexWaiter) Sleep(word *atomic.Uint32, value uint32, timeout time.Duration) {
	futex.Wait((*uint32)(unsafe.Pointer(word)), value, timeout)
}

func (futexWaiter) Wake(word *atomic.Uint32) { futex.Wake((*uint32)(unsafe.Pointer(word))) }

type neverSleep struct{}

func (neverSleep) Sleep(*atomic.Uint32, uint32, time.Duration) { runtime.Gosched() }
func (neverSleep) Wake(*atomic.Uint32)                         {}
