package tenon

import (
	"net"

	"golang.org/x/sys/unix"
)

// credentialsOf returns which process is at the other end of c, and as whom it runs.
func credentialsOf(c *net.UnixConn) (identity, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return identity{}, err
	}
	var cred *unix.Xucred
	var pid int
	var failed error
	if err := raw.Control(func(fd uintptr) {
		cred, failed = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		if failed == nil {
			pid, failed = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
		}
	}); err != nil {
		return identity{}, err
	}
	if failed != nil {
		return identity{}, failed
	}
	return identity{uid: int(cred.Uid), pid: pid, uidKnown: true}, nil
}
