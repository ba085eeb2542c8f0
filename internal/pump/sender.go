package pump

import (
	"net"
	"sync"
	"time"

	"github.com/tenon-go/tenon/internal/bytequeue"
	"github.com/tenon-go/tenon/internal/linkerr"
)

// A Sender is the sending half of a DirectLink in front of something that may
// block. Flush never waits: what the channel does not take at once is sent by a
// goroutine that lives until everything is out.
type Sender struct {
	send func([]byte) error        // sends all, waits
	try  func([]byte) (int, error) // sends what fits, never waits; may be nil

	mu          sync.Mutex
	changed     sync.Cond // there is more room, or the end, or an interrupt
	queue       bytequeue.Queue
	draining    bool
	sending     bool   // Send itself is in the channel
	drainFunc   func() // a func value made once, so that starting it allocates nothing
	interrupted bool
	closed      bool
	err         error // why the channel failed
}

// NewSender returns a Sender for a channel. send transmits all of p and may
// wait for as long as it likes; the channel's Close must end it. try transmits
// what the channel takes without waiting, possibly nothing; nil if there is no
// such form. Neither keeps p.
func NewSender(send func(p []byte) error, try func(p []byte) (int, error)) *Sender {
	s := &Sender{send: send, try: try}
	s.changed.L = &s.mu
	s.queue.Init(Limit)
	s.drainFunc = s.drain
	return s
}

// MaxReserve returns the largest n that Reserve can give.
func (s *Sender) MaxReserve() int { return s.queue.MaxReserve() }

// Reserve returns memory to append to, or nil when there is no room now.
func (s *Sender) Reserve(n int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended() != nil {
		return nil
	}
	return s.queue.Reserve(n)
}

// Commit takes what was appended to the reserved slice.
func (s *Sender) Commit(p []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ended(); err != nil {
		return err
	}
	return s.queue.Commit(p)
}

// Flush publishes everything committed. It never waits.
func (s *Sender) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flush()
}

// WaitSend flushes and waits until Reserve(n) fits.
func (s *Sender) WaitSend(n int) error {
	if n > s.MaxReserve() {
		return linkerr.ErrTooLarge
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.flush(); err != nil {
		return err
	}
	for {
		switch err := s.ended(); {
		case err != nil:
			return err
		case s.interrupted:
			s.interrupted = false
			return linkerr.ErrInterrupted
		case s.queue.Fits(n):
			return nil
		}
		s.changed.Wait()
	}
}

// InterruptSend makes this WaitSend or the next one return ErrInterrupted.
func (s *Sender) InterruptSend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupted = true
	s.changed.Broadcast()
}

// Send sends all of p, straight from p. Interrupts do not touch it, for half a
// p is no place to stop at; Close ends it.
func (s *Sender) Send(p []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.flush(); err != nil {
		return err
	}
	if s.try != nil && !s.draining && len(p) > 0 {
		n, err := s.try(p)
		if err != nil {
			return s.fail(err)
		}
		p = p[n:]
	}
	if len(p) == 0 {
		return nil
	}
	for s.draining && s.ended() == nil {
		s.changed.Wait()
	}
	if err := s.ended(); err != nil {
		return err
	}
	s.sending = true
	s.mu.Unlock()
	err := s.send(p)
	s.mu.Lock()
	s.sending = false
	if err != nil {
		return s.fail(err)
	}
	return nil
}

// End makes every wait and every later call answer net.ErrClosed and returns
// when all that was flushed is with the channel, at the latest after linger. It
// reports whether the channel is free: if not, somebody is still in its Send,
// which closing the channel ends.
func (s *Sender) End(linger time.Duration) (free bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.changed.Broadcast()
	if !s.draining {
		return !s.sending
	}
	late := false
	timer := time.AfterFunc(linger, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		late = true
		s.changed.Broadcast()
	})
	defer timer.Stop()
	for s.draining && !late {
		s.changed.Wait()
	}
	return !s.draining
}

func (s *Sender) flush() error {
	if err := s.ended(); err != nil {
		return err
	}
	s.queue.Publish()
	for !s.draining {
		p := s.queue.Peek()
		if p == nil {
			return nil
		}
		n := 0
		if s.try != nil {
			var err error
			if n, err = s.try(p); err != nil {
				return s.fail(err)
			}
			s.queue.Discard(n)
		}
		if n < len(p) {
			s.draining = true
			go s.drainFunc()
		}
	}
	return nil
}

func (s *Sender) drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.err == nil {
		p := s.queue.Peek()
		if p == nil {
			break
		}
		s.mu.Unlock()
		err := s.send(p)
		s.mu.Lock()
		if err != nil {
			s.fail(err)
			break
		}
		s.queue.Discard(len(p))
		s.changed.Broadcast()
	}
	s.draining = false
	s.changed.Broadcast()
}

func (s *Sender) ended() error {
	if s.closed {
		return net.ErrClosed
	}
	return s.err
}

func (s *Sender) fail(err error) error {
	if s.err == nil {
		s.err = err
	}
	return s.ended()
}
