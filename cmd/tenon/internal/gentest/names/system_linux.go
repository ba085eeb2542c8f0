//go:build amd64 || arm64

package names

import "context"

// System exists on some systems only.
//
//tenon:service
type System interface {
	Uptime(ctx context.Context) (seconds float64, err error)
}
