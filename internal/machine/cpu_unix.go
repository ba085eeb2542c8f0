//go:build unix

package machine

import (
	"syscall"
	"time"
)

// CPU is the time this process has worked so far, 0 where that is not known.
func CPU() time.Duration {
	d, _ := usage(syscall.RUSAGE_SELF)
	return d
}

// treeCPU is the time this process and its ended children have worked.
func treeCPU() (time.Duration, bool) {
	own, ok1 := usage(syscall.RUSAGE_SELF)
	children, ok2 := usage(syscall.RUSAGE_CHILDREN)
	return own + children, ok1 && ok2
}

func usage(who int) (time.Duration, bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
