//go:build !unix

package machine

import "time"

// CPU is the time this process has worked so far, 0 where that is not known.
func CPU() time.Duration { return 0 }

func treeCPU() (time.Duration, bool) { return 0, false }
