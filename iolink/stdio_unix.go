//go:build unix

package iolink

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

func takeStdio() (in, out *os.File, err error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, err
	}
	defer null.Close()
	if in, err = privateCopy(0, "stdin"); err != nil {
		return nil, nil, err
	}
	if out, err = privateCopy(1, "stdout"); err != nil {
		in.Close()
		return nil, nil, err
	}
	err = unix.Dup2(int(null.Fd()), 0)
	if err == nil {
		err = unix.Dup2(2, 1)
	}
	if err != nil {
		in.Close()
		out.Close()
		return nil, nil, os.NewSyscallError("dup2", err)
	}
	// Not signal.Ignore, which the children of this process would inherit. The
	// channel may overflow: only that somebody asked for the signal matters.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return in, out, nil
}

// privateCopy returns a descriptor above the standard ones, which no child
// inherits and for which the runtime never raises SIGPIPE.
func privateCopy(fd int, name string) (*os.File, error) {
	dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("dup "+name, err)
	}
	var stat unix.Stat_t
	if unix.Fstat(dup, &stat) == nil {
		switch stat.Mode & unix.S_IFMT {
		case unix.S_IFIFO, unix.S_IFSOCK:
			unix.SetNonblock(dup, true) // if it fails, package pump drives it
		}
	}
	return os.NewFile(uintptr(dup), name), nil
}
