package tenon

import (
	"errors"
	"runtime"
	"sync/atomic"

	"github.com/tenon-go/tenon/internal/call"
	"github.com/tenon-go/tenon/internal/spin"
	"github.com/tenon-go/tenon/internal/wire"
)

// A reader is the receiving half of a connection: what moves with the role. Who
// has the role reads with drain; see base.go and lead.go for those who do.
type reader struct {
	conn *Conn
	link DirectLink
	poll poller // nil where callers can't read

	role     roleWord
	handover chan struct{} // the role goes to the base reader

	// Of whoever has the role.
	splitter wire.Splitter
	parts    assembler
	accepted *servedCall  // the call that the last frame began
	served   bool         // a call came since the base reader woke up, or a scarce place became free
	pushes   int          // how often to leave the link watched for calls that come unasked
	answered bool         // an answer came since then
	ready    bool         // a handler or a caller can run and has not had its turn
	bulk     bool         // a part of a large message came
	leader   *call.Waiter // the caller who reads; nil if the base reader does
	settled  bool         // its wait is over
	poller   spin.Poller  // of callers
	broken   error        // what a look ahead has found
	detach   bool         // the peer's final bye was read: what follows is not ours

	waiting atomic.Int32 // callers who wait for answers
	scarce  atomic.Int32 // answers that will free scarce places: who waits for one does not read
	quick   atomic.Int32 // answers that came in time for polling, while others read
	watch   watch
}

func newReader(c *Conn) *reader {
	r := &reader{
		conn:     c,
		link:     c.link,
		handover: make(chan struct{}, 1),
		parts:    newAssembler(int(c.limits.Message), int(c.limits.Reassembly)),
		poller:   spin.New(c.polling),
	}
	r.poll, _ = c.link.(poller)
	r.watch.init(r)
	return r
}

// awaited reports whether somebody waits for an answer, or soon may.
func (r *reader) awaited() bool { return r.waiting.Load() > 0 || r.scarce.Load() > 0 }

// freed notes that an answer has freed a scarce place. The next such answer may follow
// soon, and no caller will read it: it is like a call of the peer's.
func (r *reader) freed() {
	r.scarce.Add(-1)
	r.served, r.ready = true, true
}

// drain reads up to max chunks, all that is there if max is negative, and acts
// on their frames. It never waits. The calls that come in are given to start.
func (r *reader) drain(max int, start func(*servedCall) error) (chunks int, err error) {
	if r.detach {
		return 0, errDetached
	}
	for {
		if r.splitter.Fed() {
			if err := r.frames(start); err != nil {
				return chunks, err
			}
			if r.bulk { // much more of it may follow: others come first
				r.bulk = false
				r.conn.sender.flushSoon(r.conn.outbox) // answers that are held
				r.yield()
			}
		}
		if chunks == max {
			return chunks, nil
		}
		chunk, err := r.next()
		if err != nil || chunk == nil {
			r.yield()
			return chunks, err
		}
		chunks++
		r.splitter.Feed(chunk)
	}
}

// yield has those run who can: on this thread, instead of when another thread has
// found them. What they send then goes out together.
func (r *reader) yield() {
	if r.ready {
		r.ready = false
		runtime.Gosched()
	}
}

// frames acts on the frames of the last chunk.
func (r *reader) frames(start func(*servedCall) error) error {
	for {
		frame, ok, err := r.splitter.Next()
		if err != nil {
			return protocolError{err}
		}
		if !ok {
			return nil
		}
		if err := r.take(frame); err != nil {
			return err
		}
		if call := r.accepted; call != nil {
			r.accepted = nil
			if err := start(call); err != nil {
				return err
			}
		}
	}
}

// hire starts the handler of a call on a goroutine of its own.
func (r *reader) hire(s *servedCall) error {
	s.timed = !s.handler.pace().short()
	r.ready = true
	r.conn.runners.start(s)
	return nil
}

// next returns the next chunk: what the connection before left over comes first.
func (r *reader) next() ([]byte, error) {
	if r.broken != nil {
		return nil, r.broken
	}
	if rest := r.conn.session.rest; rest != nil {
		r.conn.session.rest = nil
		return rest, nil
	}
	return r.link.TryRecv()
}

// wait waits for input. That somebody broke the wait off is no error: the base
// reader is woken like that too.
func (r *reader) wait() error {
	err := r.link.WaitRecv()
	if errors.Is(err, ErrInterrupted) {
		return nil
	}
	return err
}

// release gives the last window back: a borrowed chunk would keep the link's
// memory. The link has ended or is about to, so that this ends.
func (r *reader) release() {
	<-r.conn.running.Done()
	for {
		if p, err := r.link.TryRecv(); p == nil || err != nil {
			return
		}
	}
}

// A protocolError says that the peer broke the rules: the connection is over.
type protocolError struct{ err error }

func (e protocolError) Error() string { return "the peer broke the protocol: " + e.err.Error() }
func (e protocolError) Unwrap() error { return e.err }
