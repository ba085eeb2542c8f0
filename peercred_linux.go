package tenon

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// sameUser checks that the process at the other end of c runs as our user.
func sameUser(c *net.UnixConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var cred *unix.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) {
		cred, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	if int(cred.Uid) != os.Geteuid() {
		return fmt.Errorf("%w: process %d runs as user %d, this one as %d", errRefused, cred.Pid, cred.Uid, os.Geteuid())
	}
	return nil
}
