package proc

import "syscall"

const maxrssUnit = 1

// handle has nothing to hold: the number of the process is ours until we reap
// it.
type handle struct{ status *Status }

func spawn(c Config) (int, handle, error) {
	pid, err := execute(c, &syscall.SysProcAttr{})
	return pid, handle{status: new(Status)}, err
}

// await reaps as well: darwin's waitid returns for stopped children too, so
// there is no waiting without reaping. The group is killed right after, while
// its number is still fresh.
func (h handle) await(pid int) { *h.status = wait4(pid) }

func (h handle) signal(pid int, sig syscall.Signal) error { return syscall.Kill(pid, sig) }

func (h handle) reap(int) Status { return *h.status }
