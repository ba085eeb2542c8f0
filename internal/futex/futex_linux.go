package futex

import (
	"math"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Shared reports whether a Wake reaches other processes.
const Shared = true

const (
	opWait = 0 // FUTEX_WAIT, not private
	opWake = 1 // FUTEX_WAKE, not private
)

// Wait sleeps while *word equals value, at most for timeout (0: without limit).
// It may return early; callers look again. The goroutine sleeps in a blocking
// system call and takes no processor from other goroutines.
func Wait(word *uint32, value uint32, timeout time.Duration) {
	var limit *unix.Timespec
	if timeout > 0 {
		ts := unix.NsecToTimespec(int64(timeout))
		limit = &ts
	}
	syscall.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), opWait, uintptr(value),
		uintptr(unsafe.Pointer(limit)), 0, 0)
}

// Wake wakes everybody who waits on word.
func Wake(word *uint32) {
	// Waking never blocks, so the scheduler need not hear of it.
	syscall.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), opWake, math.MaxInt32, 0, 0, 0)
}
