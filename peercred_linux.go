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
	var cred *unix.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) {
		cred, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return identity{}, err
	}
	if failed != nil {
		return identity{}, failed
	}
	return identity{uid: int(cred.Uid), pid: int(cred.Pid), uidKnown: true}, nil
}
