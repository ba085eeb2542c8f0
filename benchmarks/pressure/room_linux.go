package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// startOn starts a process that may use the first of this one's CPUs only.
func startOn(cmd *exec.Cmd) error {
	runtime.LockOSThread() // a child has what its parent's thread has
	defer runtime.UnlockOSThread()
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return os.NewSyscallError("sched_getaffinity", err)
	}
	for cpu := range 1024 {
		if all.IsSet(cpu) {
			one.Set(cpu)
			break
		}
	}
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return os.NewSyscallError("sched_setaffinity", err)
	}
	return errors.Join(cmd.Start(), os.NewSyscallError("sched_setaffinity", unix.SchedSetaffinity(0, &all)))
}

// A quota is a control group that has half a CPU.
type quota struct{ dir string }

// newQuota makes one, by version 2 of control groups or version 1.
func newQuota() (*quota, error) {
	var errs []error
	for _, v := range []struct {
		root    string
		weights map[string]string
	}{
		{"/sys/fs/cgroup", map[string]string{"cpu.max": "50000 100000"}},
		{"/sys/fs/cgroup/cpu", map[string]string{"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "50000"}},
	} {
		q := &quota{filepath.Join(v.root, fmt.Sprintf("tenon-pressure-%d", os.Getpid()))}
		err := os.Mkdir(q.dir, 0o755)
		for name, text := range v.weights {
			if err == nil {
				err = os.WriteFile(filepath.Join(q.dir, name), []byte(text), 0o644)
			}
		}
		if err == nil {
			return q, nil
		}
		q.remove()
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// add puts a process under the quota, with whatever it starts later.
func (q *quota) add(pid int) error {
	return os.WriteFile(filepath.Join(q.dir, "cgroup.procs"), []byte(fmt.Sprint(pid)), 0o644)
}

// remove waits for processes under the quota that are just being killed.
func (q *quota) remove() {
	for range 100 {
		if err := os.Remove(q.dir); !errors.Is(err, unix.EBUSY) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
