package iolink

import (
	"net"

	"golang.org/x/sys/unix"
)

// undelivered reports whether the peer's system has yet to acknowledge bytes.
func undelivered(conn *net.TCPConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	unacknowledged := 0
	raw.Control(func(fd uintptr) { unacknowledged, _ = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ) })
	return unacknowledged > 0
}
