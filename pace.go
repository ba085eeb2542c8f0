package tenon

import (
	"context"
	"sync/atomic"
	"time"
)

// A pace is what is known of how long the handlers of one method take. Short
// ones are run by the base reader itself. A method has to earn that with
// probation short runs, keeps it while its runs stay short on average, and
// loses it for a while when one of them held the connection up.
//
// To send a call back, and to wait for its answer or for items, does not count: the
// handler reads for itself meanwhile. What it does between does. A call with a call
// back takes 8 to 11 us so; handed from goroutine to goroutine it took 32 to 42.
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

// parked notes that a run in place went to sleep while it waited, and had to leave
// the reading to another base reader.
func (p *pace) parked() { p.took(maxDebit*brief, timedEvery) }

// blocked notes that a run held the connection up.
func (p *pace) blocked() { p.credit.Store(minCredit) }

var clockStart = time.Now()

// clock is a time that only serves for differences. It takes a third of the room
// of a time.Time.
func clock() time.Duration { return time.Since(clockStart) }

// servedBy returns the handler that ctx belongs to if it is one of the connection.
func servedBy(ctx context.Context, c *Conn) *servedCall {
	if s, _ := ctx.Value(callKey{}).(*servedCall); s != nil && s.conn == c {
		return s
	}
	return nil
}

// aside takes the time since began out of what counts as the handler's.
func (s *servedCall) aside(began time.Duration) { s.apart.Add(int64(clock() - began)) }
