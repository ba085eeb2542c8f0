//go:build !unix

package measure

import "time"

func ownCPU() (time.Duration, bool) { return 0, false }
