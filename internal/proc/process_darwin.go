package proc

import (
	"syscall"

	"golang.org/x/sys/unix"
)

const maxrssUnit = 1

// handle has nothing to hold: the number of the process is ours until we reap
// it.
type handle struct{ status *Status }

func spawn(c Config) (int, handle, error) {
	pid, err := execute(c, &syscall.SysProcAttr{})
	if err == nil && c.Nice > 0 {
		// Of a process, not of a thread; a child that is gone already needs none.
		if now, err := unix.Getpriority(unix.PRIO_PROCESS, pid); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, pid, now+c.Nice)
		}
	}
	return pid, handle{status: new(Status)}, err
}

// await reaps as well: darwin's waitid returns for stopped children too, so
// there is no waiting without reaping. The group is killed right after, while
// its number is still fresh.
func (h handle) await(pid int) { *h.status = wait4(pid) }

func (h handle) signal(pid int, sig syscall.Signal) error { return syscall.Kill(pid, sig) }

func (h handle) reap(int) Status { return *h.status }
