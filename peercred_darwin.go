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
	var cred *unix.Xucred
	var failed error
	if err := raw.Control(func(fd uintptr) {
		cred, failed = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	}); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	if int(cred.Uid) != os.Geteuid() {
		return fmt.Errorf("%w: the peer runs as user %d, this process as %d", errRefused, cred.Uid, os.Geteuid())
	}
	return nil
}
