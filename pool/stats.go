package pool

import "time"

// Stats is what a pool is and did, at one moment.
type Stats struct {
	Members []MemberStats // those that take calls now
	Waiting int           // calls that wait for a member
	Calls   uint64        // handed to members since the pool was made, re-sent ones again
	Ended   uint64        // members that ended
	Failed  uint64        // replacements that could not be started

	Resent   uint64 // calls that were sent to another member
	Rejected uint64 // calls refused because the queue was full
	GaveUp   uint64 // calls whose context ended while they waited
}

// MemberStats is one member in [Stats].
type MemberStats struct {
	Name     string // where the member has one
	PID      int    // of a worker, else 0
	Calls    uint64
	InFlight int
	Since    time.Time // when it joined the pool
}

// tally counts over members that are no more.
type tally struct {
	calls, members, failures uint64
}

// Stats returns the pool's figures.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Stats{
		Waiting: p.line.len(), Calls: p.past.calls, Ended: p.past.members, Failed: p.past.failures,
		Resent: p.resent.Load(), Rejected: p.rejected.Load(), GaveUp: p.gaveUp.Load(),
	}
	for _, x := range *p.seats.Load() {
		m := MemberStats{Calls: x.calls.Load(), InFlight: int(x.inFlight.Load()), Since: x.since}
		if named, ok := x.member.(interface{ Name() string }); ok {
			m.Name = named.Name()
		}
		if process, ok := x.member.(interface{ PID() int }); ok {
			m.PID = process.PID()
		}
		s.Members = append(s.Members, m)
		s.Calls += m.Calls
	}
	return s
}

func (p *Pool) noteEnd(s *seat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.past.calls += s.calls.Load()
	p.past.members++
}

func (p *Pool) noteFailure(err error) {
	p.mu.Lock()
	p.past.failures++
	p.failure = err
	p.mu.Unlock()
	p.onFail(err)
}

func (p *Pool) lastFailure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failure
}
