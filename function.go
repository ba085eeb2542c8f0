package tenon

import (
	"bytes"
	"context"

	"github.com/tenon-go/tenon/internal/wire"
)

// A calledFunction is a function of a call of ours, which the peer calls.
type calledFunction struct {
	of   *talking
	port uint16
}

// functionOver refuses a function whose call is over.
var functionOver = wire.Failure{Code: uint32(Canceled), Message: "the call that this function belongs to has ended"}

// function takes a call of a function of ours in. It runs in the reader's role.
func (r *reader) function(f wire.Frame, owned bool) error {
	c := r.conn
	s := c.pending.talking(f.Arg)
	if s == nil {
		return c.outbox.refuse(f.ID, functionOver)
	}
	at := f
	at.ID = f.Arg
	h, err := portOfTalk[handler](s, at)
	if err != nil {
		return err
	}
	return c.serveWith(f, owned, h, s)
}

// checkResults makes sure that the peer, whose contract is another one, loses
// nothing of what a function returned.
func (s *servedCall) checkResults(results body) error {
	f := s.function
	if f.of.agreement == nil || f.of.agreement.Ports[f.port-1] == nil {
		return nil
	}
	encoded, _, err := encodeBody(results)
	if err != nil {
		return err
	}
	return surplus(f.of.agreement.Ports[f.port-1], bytes.Join(encoded, nil))
}

// beginFunction counts a function in that is about to run, or reports false if the
// call is over.
func (s *talking) beginFunction(call *servedCall) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.done.Load() {
		return false
	}
	if s.running == nil {
		s.running = make(map[*servedCall]bool)
	}
	s.running[call] = true
	return true
}

// endFunction counts it out.
func (s *talking) endFunction(call *servedCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, call)
	if len(s.running) == 0 && s.idle != nil {
		close(s.idle)
		s.idle = nil
	}
}

// endFunctions ends the contexts of functions that still run, and waits for them
// until ctx ends.
func (s *talking) endFunctions(ctx context.Context) {
	s.mu.Lock()
	s.closed = true
	for call := range s.running {
		call.cancel(context.Canceled)
	}
	idle := make(chan struct{})
	if len(s.running) == 0 {
		s.mu.Unlock()
		return
	}
	s.idle = idle
	s.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}
