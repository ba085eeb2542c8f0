//go:build !linux && !darwin

package tenon

import (
	"fmt"
	"net"
	"runtime"
)

func uidOf(*net.UnixConn) (int, error) {
	return 0, fmt.Errorf("%w: %s does not tell whose process is at the other end of a Unix socket; use tenon.WithToken", errRefused, runtime.GOOS)
}
