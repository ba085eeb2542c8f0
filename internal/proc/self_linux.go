package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Self is the path that executes this very program again, also when its file
// was replaced or deleted meanwhile.
func Self() (string, error) {
	const self = "/proc/self/exe"
	if _, err := os.Stat(self); err != nil {
		return os.Executable()
	}
	return self, nil
}

// EndWithPeer has the kernel kill the calling process and its whole group as soon
// as anything happens on a socket whose other end never sends: the other end is
// closed, because its process has ended in whatever way. The kernel does so also
// when this process is stopped or has no core to run on. Since it reaches the
// whole group, it takes the place of the parent-death signal, which reaches this
// process alone, and earlier. It must be called from an init function: those run
// on the main thread.
func EndWithPeer(socket *os.File) error {
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
		if err == nil {
			_, err = unix.FcntlInt(fd, unix.F_SETSIG, int(unix.SIGKILL))
		}
		if err == nil {
			_, err = unix.FcntlInt(fd, unix.F_SETOWN, -unix.Getpgrp())
		}
		if err == nil {
			_, err = unix.FcntlInt(fd, unix.F_SETFL, flags|unix.O_ASYNC)
		}
		failed = err
	})
	if err == nil {
		err = failed
	}
	if err == nil {
		err = unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0)
	}
	return err
}

// Settle makes a child a good citizen before its own code runs: descriptors
// that it got by somebody's oversight are closed, so that nobody waits for the
// end of a pipe that they keep open, and top shows name instead of "exe", which
// is what executing /proc/self/exe leaves. It must be called from an init
// function, as the main thread's name is that of the process.
func Settle(name string) {
	closeStrays()
	if name, err := unix.BytePtrFromString(filepath.Base(name)); err == nil {
		_ = unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(name)), 0, 0, 0)
	}
}

// closeStrays closes the descriptors that are not closed on exec: what belongs to
// the runtime and to us is.
func closeStrays() {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		_ = unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC)
		return
	}
	for _, entry := range entries {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil || fd <= 2 {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
}
