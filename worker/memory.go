package worker

import (
	"fmt"
	"time"

	"github.com/tenon-go/tenon/internal/proc"
)

// How often memory is looked at. A process can touch some gigabytes a second,
// so the closer to the limit, the more often.
const (
	memoryPause     = 10 * time.Millisecond
	memoryPauseNear = 2 * time.Millisecond
)

// watchMemory kills the worker when its resident memory is beyond limit.
func (w *Worker) watchMemory(meter *proc.Meter, limit int64) {
	defer meter.Close()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-w.proc.Done():
			return
		case <-timer.C:
		}
		resident, err := meter.Resident()
		if err != nil {
			return // it has ended
		}
		if resident > limit {
			w.kill(fmt.Sprintf("its resident memory reached %s, the limit is %s", mebibytes((resident|(1<<20-1))+1), mebibytes(limit)))
			return
		}
		pause := memoryPause
		if resident > limit/2 {
			pause = memoryPauseNear
		}
		timer.Reset(pause)
	}
}

func mebibytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d bytes", n)
	}
	if n%(1<<20) != 0 && n < 100<<20 {
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
