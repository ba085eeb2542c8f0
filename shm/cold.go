package shm

import (
	"sync/atomic"
	"time"
)

// rested is how long a peer must have been left alone to count as cold.
const rested = 200 * time.Microsecond

// A cold word tells the receiver that its answer will take a while: the last
// flush had to wake a peer that had not been woken for some time. Polling would
// gain nothing then, and on a busy machine take the very processor on which the
// peer has to wake up. When wake-ups follow each other both sides are about to
// be hot, and polling is what keeps them so.
type cold struct {
	is    atomic.Bool
	wakes uint64        // the sender's: as of the last flush
	last  time.Duration // the sender's: when it last woke the peer
}

var epoch = time.Now()

// flushed takes note of a flush, after which the peer was woken so many times.
func (c *cold) flushed(wakes uint64) {
	if wakes == c.wakes {
		if c.is.Load() {
			c.is.Store(false)
		}
		return
	}
	now := time.Since(epoch)
	c.is.Store(now-c.last > rested)
	c.wakes, c.last = wakes, now
}

// Cold reports whether the last Flush had to wake a peer that had been left
// alone for a while. Whoever waits for its answer then does better to sleep than
// to poll; Recv does so by itself. Any goroutine may ask.
func (l *Link) Cold() bool { return l.cold.is.Load() }
