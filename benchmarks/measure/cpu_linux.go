package measure

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// processCPU is the time that a process has worked so far, 0 when it has ended.
func processCPU(pid int) time.Duration {
	// The number of a process's clock, as clock_getcpuclockid(3) makes it: the
	// kernel's CPUCLOCK_SCHED is 2.
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid)<<3|2, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// children are the processes whose parent this one is.
func children() (list []int, ok bool) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, false
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // it has just ended
		}
		// pid (name) state parent: the name may hold anything.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 1 && string(fields[1]) == strconv.Itoa(os.Getpid()) {
			list = append(list, pid)
		}
	}
	return list, true
}
