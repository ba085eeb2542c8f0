package proc

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const maxrssUnit = 1024

// handle names a process by its pidfd. Kernels that have none (before 5.4, or
// under some sandboxes) leave pidfd nil; then the number is used, which is
// ours until we reap it.
type handle struct {
	pidfd *os.File
}

func spawn(c Config) (int, handle, error) {
	fd := -1
	pid, err := execute(c, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, PidFD: &fd})
	if err != nil {
		return 0, handle{}, err
	}
	var h handle
	if fd >= 0 {
		// Non-blocking, so that os.NewFile gives it to the netpoller: waiting
		// for a child then costs no thread.
		_ = unix.SetNonblock(fd, true)
		h.pidfd = os.NewFile(uintptr(fd), "pidfd")
	}
	return pid, h, nil
}

// await returns when the process has ended. It does not reap it.
func (h handle) await(pid int) {
	if h.pidfd != nil {
		if raw, err := h.pidfd.SyscallConn(); err == nil {
			err = raw.Read(func(fd uintptr) bool {
				return ended(unix.P_PIDFD, int(fd), unix.WNOHANG)
			})
			if err == nil {
				return
			}
		}
	}
	ended(unix.P_PID, pid, 0)
}

// ended reports whether the process ended, or is not ours to ask about.
func ended(idType, id, options int) bool {
	var info unix.Siginfo
	for {
		err := unix.Waitid(idType, id, &info, unix.WEXITED|unix.WNOWAIT|options, nil)
		switch err {
		case unix.EINTR:
			continue
		case unix.EAGAIN:
			return false
		case nil:
			return info.Signo != 0 // WNOHANG leaves it zero while the child runs
		}
		return true
	}
}

func (h handle) signal(pid int, sig syscall.Signal) error {
	if h.pidfd == nil {
		return syscall.Kill(pid, sig)
	}
	raw, err := h.pidfd.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = unix.PidfdSendSignal(int(fd), sig, nil, 0) }); err != nil {
		return err
	}
	return failed
}

func (h handle) reap(pid int) Status {
	s := wait4(pid)
	if h.pidfd != nil {
		_ = h.pidfd.Close()
	}
	return s
}
