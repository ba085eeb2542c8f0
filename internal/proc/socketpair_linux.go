package proc

import (
	"os"
	"syscall"
)

// SocketPair returns two connected Unix stream sockets: ours can be waited for
// with deadlines, theirs is for a child. Both are closed on exec.
func SocketPair() (ours, theirs *os.File, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return pairFiles(fds)
}
