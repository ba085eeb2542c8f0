package tenon_test

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// looking is a link that counts how often one looks for input in vain while
// something is committed that has not been flushed.
type looking struct {
	pollable
	committed     atomic.Bool
	looks         atomic.Int64 // for the flush to come
	flushes, late atomic.Int64 // late: after many looks
}

func (l *looking) Commit(p []byte) error {
	l.committed.Store(true)
	return l.pollable.Commit(p)
}

func (l *looking) Flush() error {
	if l.committed.Swap(false) {
		l.flushes.Add(1)
		if l.looks.Swap(0) > 16 {
			l.late.Add(1)
		}
	}
	return l.pollable.Flush()
}

func (l *looking) TryRecv() ([]byte, error) {
	p, err := l.pollable.TryRecv()
	if p == nil && l.committed.Load() {
		l.looks.Add(1)
	}
	return p, err
}

// TestNobodyPollsForAnswersToWhatWaitsToBePublished has three callers, of whom the
// first to send lets the others send too before he publishes. The reader must not
// keep the processor from him meanwhile.
func TestNobodyPollsForAnswersToWhatWaitsToBePublished(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("nobody polls on one processor")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	a, b := links(t)["shm"]()
	direct, ok := a.(pollable)
	if !ok {
		t.Skip("no link here can be polled")
	}
	link := &looking{pollable: direct}
	r := newRig(t, link, b)
	r.flood(t, 3, 0, 3000)
	if late, all := link.late.Load(), link.flushes.Load(); late*30 > all {
		t.Errorf("%d of %d flushes came late", late, all)
	}
}
