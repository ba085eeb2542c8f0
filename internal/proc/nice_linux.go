package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// giveWay makes the calling thread, and what it starts, nicer by n. On Linux the
// priority belongs to the thread.
func giveWay(n int) error {
	if n == 0 {
		return nil
	}
	const zero = 20 // the system call answers 20 - nice
	now, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err == nil {
		err = unix.Setpriority(unix.PRIO_PROCESS, 0, zero-now+n) // at most 19, the kernel sees to it
	}
	return os.NewSyscallError("setpriority", err)
}
