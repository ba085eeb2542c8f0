//go:build !linux && !darwin

package tenon

import (
	"fmt"
	"net"
	"runtime"
)

func credentialsOf(*net.UnixConn) (identity, error) {
	return identity{}, fmt.Errorf("%w: %s does not tell whose process is at the other end of a Unix socket; use tenon.WithToken", errRefused, runtime.GOOS)
}
