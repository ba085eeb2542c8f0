package pump

import (
	"net"
	"sync"

	"github.com/tenon-go/tenon/internal/linkerr"
)

// A Receiver is the receiving half of a DirectLink before something that
// blocks: a goroutine lies in recv, and calls it again only after the chunk was
// given back.
type Receiver struct {
	recv func() ([]byte, error)

	mu          sync.Mutex
	arrived     sync.Cond // chunk or err is set, or an interrupt, or the end
	givenBack   sync.Cond // lent was cleared, or the end
	chunk       []byte    // arrived, not yet handed out
	lent        bool      // the last chunk is with the receiver
	interrupted bool
	closed      bool
	err         error // what ended recv
}

// NewReceiver starts the goroutine. recv is that of tenon.Link; the channel's
// Close must end it.
func NewReceiver(recv func() ([]byte, error)) *Receiver {
	r := &Receiver{recv: recv}
	r.arrived.L = &r.mu
	r.givenBack.L = &r.mu
	go r.pump()
	return r
}

func (r *Receiver) pump() {
	for {
		chunk, err := r.recv()
		if !r.handOver(chunk, err) {
			return
		}
	}
}

// handOver waits until the receiver has finished with chunk and reports whether
// to go on.
func (r *Receiver) handOver(chunk []byte, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(chunk) > 0 {
		r.chunk = chunk
		r.arrived.Broadcast()
		for (r.chunk != nil || r.lent) && !r.closed {
			r.givenBack.Wait()
		}
	}
	if err != nil {
		r.err = err
		r.arrived.Broadcast()
	}
	return err == nil && !r.closed
}

// TryRecv returns the next chunk, or nil when there is none yet. It gives the
// last one back.
func (r *Receiver) TryRecv() ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.giveBack()
	switch {
	case r.closed:
		return nil, net.ErrClosed
	case r.chunk != nil:
		p := r.chunk
		r.chunk, r.lent = nil, true
		return p, nil
	}
	return nil, r.err
}

// WaitRecv waits until TryRecv has something. It gives the last chunk back.
func (r *Receiver) WaitRecv() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.giveBack()
	for {
		switch {
		case r.closed:
			return net.ErrClosed
		case r.interrupted:
			r.interrupted = false
			return linkerr.ErrInterrupted
		case r.chunk != nil || r.err != nil:
			return nil
		}
		r.arrived.Wait()
	}
}

// Recv waits for the next chunk.
func (r *Receiver) Recv() ([]byte, error) {
	for {
		p, err := r.TryRecv()
		if p != nil || err != nil {
			return p, err
		}
		if err := r.WaitRecv(); err != nil {
			return nil, err
		}
	}
}

// InterruptRecv makes this wait or the next one return ErrInterrupted.
func (r *Receiver) InterruptRecv() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.interrupted = true
	r.arrived.Broadcast()
}

// End makes every wait and every later call answer net.ErrClosed. A chunk that
// is lent out stays with its holder.
func (r *Receiver) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.arrived.Broadcast()
	r.givenBack.Broadcast()
}

func (r *Receiver) giveBack() {
	if r.lent {
		r.lent = false
		r.givenBack.Broadcast()
	}
}
