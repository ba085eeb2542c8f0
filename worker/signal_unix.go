//go:build unix

package worker

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const brokenPipe = syscall.SIGPIPE

func signalName(sig os.Signal) string {
	if s, ok := sig.(syscall.Signal); ok {
		if name := unix.SignalName(s); name != "" {
			return name
		}
	}
	return sig.String()
}
