package spin

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// yieldProcessor lets another thread of the machine run on this processor.
func yieldProcessor() { syscall.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
