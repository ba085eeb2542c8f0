//go:build linux || darwin

package proc

import (
	"io"
	"os"
	"syscall"
)

func pairFiles(fds [2]int) (ours, theirs *os.File, err error) {
	if err := syscall.SetNonblock(fds[0], true); err != nil {
		_ = syscall.Close(fds[0])
		_ = syscall.Close(fds[1])
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fds[0]), "socket"), os.NewFile(uintptr(fds[1]), "socket"), nil
}

// ReadNow reads what f holds at the moment and does not wait: it answers 0, nil
// when there is nothing, and io.EOF at the end. f must be in non-blocking mode,
// as pipes and SocketPair's own end are.
func ReadNow(f *os.File, p []byte) (n int, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Read(func(fd uintptr) bool {
		for {
			n, failed = syscall.Read(int(fd), p)
			if failed != syscall.EINTR {
				return true
			}
		}
	})
	switch {
	case err != nil:
		return 0, err
	case failed == syscall.EAGAIN:
		return 0, nil
	case failed != nil:
		return 0, failed
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// Adopt takes over an inherited descriptor: it is closed on exec from now on
// and waits through the netpoller. It fails when the descriptor is not open.
func Adopt(fd int, name string) (*os.File, error) {
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return nil, os.NewSyscallError("fstat", err)
	}
	syscall.CloseOnExec(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// IsSocket reports whether a descriptor is open and a socket.
func IsSocket(fd int) bool {
	var st syscall.Stat_t
	return syscall.Fstat(fd, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFSOCK
}

// EndGroup kills the calling process and its whole group. It does not return.
func EndGroup() {
	_ = syscall.Kill(0, syscall.SIGKILL)
	os.Exit(1)
}
