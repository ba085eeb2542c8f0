package tenon

import (
	"sync/atomic"
	"time"
)

// A pace is what is known of how long the handlers of one method take. Short
// ones are run by the base reader itself. A method has to earn that with
// probation short runs, keeps it while its runs stay short on average, and
// loses it for a while when one of them held the connection up.
type pace struct{ credit atomic.Int32 }

// brief is what counts as short. Only tests change it.
var brief = 5 * time.Microsecond

const (
	probation  = 16
	maxCredit  = probation + 256
	minCredit  = -1024
	maxDebit   = 8  // of one long run, in short ones
	timedEvery = 16 // runs in place, one of which is timed
)

// short reports whether the method has proved short.
func (p *pace) short() bool { return p.credit.Load() >= probation }

// took notes that one of so many runs took that long.
func (p *pace) took(d time.Duration, runs int32) {
	change := runs
	if d > brief {
		change = -runs * int32(min(d/brief, maxDebit))
	}
	p.credit.Store(min(max(p.credit.Load()+change, minCredit), maxCredit))
}

// blocked notes that a run held the connection up.
func (p *pace) blocked() { p.credit.Store(minCredit) }

var clockStart = time.Now()

// clock is a time that only serves for differences. It takes a third of the room
// of a time.Time.
func clock() time.Duration { return time.Since(clockStart) }
