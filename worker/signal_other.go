//go:build !unix

package worker

import (
	"os"
	"syscall"
)

const brokenPipe = syscall.SIGTERM // never sent: there are no workers here

func signalName(sig os.Signal) string { return sig.String() }
