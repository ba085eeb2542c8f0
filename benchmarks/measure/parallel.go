package measure

import (
	"sync"
	"sync/atomic"
	"time"
)

// parallel has many goroutines call at once and returns the time per call, in
// nanoseconds: what the whole took, divided by the calls.
func parallel(each time.Duration, call func() error) (float64, error) {
	if _, _, err := crowd(each/4, call); err != nil {
		return 0, err
	}
	settle()
	calls, took, err := crowd(each, call)
	if err != nil {
		return 0, err
	}
	return float64(took) / float64(calls), nil
}

func crowd(d time.Duration, call func() error) (calls int64, took time.Duration, err error) {
	var (
		group  sync.WaitGroup
		stop   atomic.Bool
		total  atomic.Int64
		failed atomic.Pointer[error]
	)
	begin := time.Now()
	timer := time.AfterFunc(d, func() { stop.Store(true) })
	defer timer.Stop()
	for range callers {
		group.Go(func() {
			n := int64(0)
			for ; n == 0 || !stop.Load(); n++ {
				if err := call(); err != nil {
					failed.Store(&err)
					stop.Store(true)
					return
				}
			}
			total.Add(n)
		})
	}
	group.Wait()
	took = time.Since(begin)
	if e := failed.Load(); e != nil {
		return 0, 0, *e
	}
	return total.Load(), took, nil
}
