package pool

import (
	"slices"
	"time"
)

// Stats is what a pool is and did, at one moment.
type Stats struct {
	Members  []MemberStats // those that take calls now
	Waiting  int           // calls that wait for a member
	Calls    uint64        // handed to members since the pool was made, re-sent ones again
	Ended    uint64        // members that ended, for whatever reason
	Replaced uint64        // replacements that were started
	Failed   uint64        // replacements that could not be started
	Deaths   []Death       // the last 16, oldest first

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

// A Death is a member that ended without having been told to, or not in order.
type Death struct {
	Name  string // where the member had one
	PID   int    // of a worker, else 0
	Err   error  // why, where the member knows: of a worker a *worker.ExitError
	Time  time.Time
	Calls uint64 // that it was given in its life
}

const maxDeaths = 16

// tally counts over members that are no more.
type tally struct {
	calls, members, failures uint64
}

// Stats returns the pool's figures.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Stats{
		Waiting: int(p.waiting.Load()), Calls: p.past.calls,
		Ended: p.past.members, Replaced: p.replaced.Load(), Failed: p.past.failures,
		Deaths: slices.Clone(p.deaths),
		Resent: p.resent.Load(), Rejected: p.rejected.Load(), GaveUp: p.gaveUp.Load(),
	}
	for _, x := range *p.seats.Load() {
		m := MemberStats{Calls: x.calls.Load(), InFlight: int(x.inFlight.Load()), Since: x.since}
		m.Name, m.PID = identity(x.member)
		s.Members = append(s.Members, m)
		s.Calls += m.Calls
	}
	for x := range p.leaving {
		s.Calls += x.calls.Load()
	}
	return s
}

func identity(m Member) (name string, pid int) {
	if named, ok := m.(interface{ Name() string }); ok {
		name = named.Name()
	} else if conn := connOf(m); conn != nil {
		name = conn.Peer()
	}
	if process, ok := m.(interface{ PID() int }); ok {
		pid = process.PID()
	}
	return name, pid
}

// noteEnd counts a member that ended. byItself says that nobody told it to.
func (p *Pool) noteEnd(s *seat, why error, byItself bool) {
	name, pid := identity(s.member)
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.leaving, s)
	s.ended = true
	p.tally(s)
	p.past.members++
	if why == nil && !byItself {
		return
	}
	if len(p.deaths) == maxDeaths {
		p.deaths = slices.Delete(p.deaths, 0, 1)
	}
	p.deaths = append(p.deaths, Death{Name: name, PID: pid, Err: why, Time: time.Now(), Calls: s.counted})
}

// tally counts the calls of a member that ended and have not been counted. p.mu is
// held.
func (p *Pool) tally(s *seat) {
	calls := s.calls.Load()
	p.past.calls += calls - s.counted
	s.counted = calls
}

// recount is for calls that found their seat a moment before its member ended.
func (p *Pool) recount(s *seat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.ended {
		p.tally(s)
	}
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
