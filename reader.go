package tenon

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tenon-go/tenon/internal/call"
	"github.com/tenon-go/tenon/internal/spin"
	"github.com/tenon-go/tenon/internal/wire"
)

// The reader's role: exactly one goroutine takes bytes off the link. The base
// reader, a goroutine of the connection, has it by default. On a link that can
// be polled, a caller who waits for an answer takes the role while the base
// reader sleeps, so that the answer wakes nobody; the base reader goes on
// sleeping through that.
//
//	roleAsleep      nobody reads; the base reader lies in WaitRecv and the next
//	                flush of the peer wakes it
//	roleBase        the base reader reads
//	roleCaller      a caller reads, the base reader lies in WaitRecv
//	roleCallerAlone a caller reads, the base reader woke up meanwhile and waits
//	                to be handed the role
//
// Who enters roleAsleep calls Arm AFTER that: input that came before is seen by
// Arm itself, and input that comes later wakes the base reader, which then
// finds the role free.
const (
	roleBase uint32 = iota
	roleAsleep
	roleCaller
	roleCallerAlone
)

// drainLimit is how many chunks a caller reads for others after it has its own
// answer; then the base reader has to take over.
const drainLimit = 16

type reader struct {
	conn *Conn
	link DirectLink
	poll poller // nil where callers can't read

	role     atomic.Uint32
	handover chan struct{} // the role goes to the base reader
	splitter wire.Splitter // moves with the role
	parts    assembler     // moves with the role
	served   bool          // the base reader took a call since it woke up
	waiting  bool          // the base reader's poller has begun a wait
	started  bool          // a handler was started and has not had its turn
	detach   bool          // the peer's final bye was read: what follows is not ours

	basePoller   spin.Poller // the base reader's
	callerMu     sync.Mutex
	callerPoller spin.Poller // what callers have learned; each polls with a copy
}

func newReader(c *Conn) *reader {
	r := &reader{
		conn:         c,
		link:         c.link,
		handover:     make(chan struct{}, 1),
		parts:        newAssembler(int(c.limits.Message), int(c.limits.Reassembly)),
		basePoller:   spin.New(c.polling),
		callerPoller: spin.New(c.polling),
	}
	r.poll, _ = c.link.(poller)
	return r
}

// run is the base reader. When it returns it has the role for good.
func (r *reader) run() {
	defer r.conn.runners.end()
	for {
		if err := r.readAll(); err != nil {
			if err == errDetached {
				<-r.conn.running.Done() // detached ends the connection, not we
				return
			}
			r.conn.end(err)
			r.release()
			return
		}
		if err := r.sleep(); err != nil {
			r.conn.end(err)
			return
		}
	}
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

// readAll reads until there is nothing more, and polls a while for more where
// that is worth it: when the other side calls us, or answers are due.
func (r *reader) readAll() error {
	r.served = false
	if r.poll != nil {
		r.poll.Disarm()
	}
	for {
		n, err := r.drain(-1)
		if err != nil {
			return err
		}
		if n > 0 && r.waiting {
			r.basePoller.End()
			r.waiting = false
		}
		if r.poll == nil || !r.served && r.conn.pending.idle() {
			return nil
		}
		r.basePoller.Begin()
		r.waiting = true
		for {
			n, err := r.drain(1)
			if err != nil {
				return err
			}
			if n > 0 {
				r.basePoller.End()
				r.waiting = false
				break
			}
			if !r.basePoller.Again() {
				return nil
			}
		}
	}
}

// sleep gives the role up and comes back with it when there is input.
func (r *reader) sleep() error {
	if r.poll == nil {
		return r.wait()
	}
	r.role.Store(roleAsleep)
	for {
		err := r.wait()
		if r.role.CompareAndSwap(roleAsleep, roleBase) {
			return err
		}
		if r.role.CompareAndSwap(roleCaller, roleCallerAlone) {
			<-r.handover
			return err
		}
	}
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

// drain reads up to max chunks, all that is there if max is negative, and acts
// on their frames. It never waits.
func (r *reader) drain(max int) (chunks int, err error) {
	if r.detach {
		return 0, errDetached
	}
	for chunks != max {
		chunk, err := r.next()
		if err != nil || chunk == nil {
			if r.started {
				// The handler's goroutine runs now, on this thread, instead of
				// when another thread has found it.
				r.started = false
				runtime.Gosched()
			}
			return chunks, err
		}
		chunks++
		r.splitter.Feed(chunk)
		for {
			frame, ok, err := r.splitter.Next()
			if err != nil {
				return chunks, protocolError{err}
			}
			if !ok {
				break
			}
			if err := r.take(frame); err != nil {
				return chunks, err
			}
		}
	}
	return chunks, nil
}

// learn keeps what the wait of a caller has taught that has come to its end. Of
// one that did not read there is nothing to learn.
func (r *reader) learn(c *call.Call) {
	if !c.Led {
		return
	}
	c.Led = false
	c.Wait.End()
	r.callerMu.Lock()
	r.callerPoller = c.Wait
	r.callerMu.Unlock()
}

// next returns the next chunk: what the connection before left over comes first.
func (r *reader) next() ([]byte, error) {
	if rest := r.conn.session.rest; rest != nil {
		r.conn.session.rest = nil
		return rest, nil
	}
	return r.link.TryRecv()
}

// lead makes the calling goroutine, which waits for c, the reader until c is
// settled. It returns false when the goroutine has to sleep instead: somebody
// else reads, polling does not pay, or ctx ended.
func (r *reader) lead(ctx context.Context, c *call.Call) bool {
	if r.poll == nil || r.poll.Cold() || !r.role.CompareAndSwap(roleAsleep, roleCaller) {
		return false
	}
	r.poll.Disarm()
	r.callerMu.Lock()
	c.Wait = r.callerPoller
	r.callerMu.Unlock()
	c.Wait.Begin()
	c.Led = true
	for {
		n, err := r.drain(1)
		if err != nil {
			r.fail(err)
			return false
		}
		select {
		case <-c.Settled:
			r.leave()
			return true
		default:
		}
		if n > 0 {
			// Those whose answers these were run now, and send their next
			// calls: their answers then come together.
			runtime.Gosched()
			continue
		}
		if c.Crowded {
			runtime.Gosched() // what others have to send is better than a pause
		}
		if ctx.Err() != nil || !c.Wait.Again() {
			r.leave()
			return false
		}
	}
}

// leave gives the role back to the base reader. What is there already is read
// first, within a limit, since the base reader would have to be woken for it.
func (r *reader) leave() {
	for range drainLimit {
		n, err := r.drain(1)
		if err != nil {
			r.fail(err)
			return
		}
		if n > 0 {
			continue
		}
		if !r.role.CompareAndSwap(roleCaller, roleAsleep) {
			break // the base reader is up
		}
		if r.poll.Arm() || !r.role.CompareAndSwap(roleAsleep, roleCaller) {
			return
		}
	}
	r.toBase()
}

// toBase makes the base reader read, wherever it is.
func (r *reader) toBase() {
	if r.role.CompareAndSwap(roleCaller, roleAsleep) {
		r.link.InterruptRecv()
		return
	}
	r.role.Store(roleBase)
	r.handover <- struct{}{}
}

// fail ends the connection from a caller that reads.
func (r *reader) fail(err error) {
	if err != errDetached {
		r.conn.end(err)
	}
	r.toBase()
}

// A protocolError says that the peer broke the rules: the connection is over.
type protocolError struct{ err error }

func (e protocolError) Error() string { return "the peer broke the protocol: " + e.err.Error() }
func (e protocolError) Unwrap() error { return e.err }
