package futex

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestWaitReturnsAtOnceWhenTheValueDiffers(t *testing.T) {
	var word uint32 = 1
	Wait(&word, 0, 0)
}

func TestWaitEndsAtItsTimeout(t *testing.T) {
	var word uint32
	Wait(&word, 0, time.Millisecond)
}

func TestWakeEndsEveryWait(t *testing.T) {
	var word uint32
	const sleepers = 4
	woken := make(chan struct{}, sleepers)
	for range sleepers {
		go func() {
			for atomic.LoadUint32(&word) == 0 {
				Wait(&word, 0, 0)
			}
			woken <- struct{}{}
		}()
	}
	atomic.StoreUint32(&word, 1)
	Wake(&word)
	for range sleepers {
		<-woken
	}
}
