//go:build unix

package measure

import (
	"syscall"
	"time"
)

// ownCPU is the time this process and its ended children have worked.
func ownCPU() (time.Duration, bool) {
	var total time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err != nil {
			return 0, false
		}
		total += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return total, true
}
