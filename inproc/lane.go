package inproc

import (
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/tenon-go/tenon/internal/bytequeue"
	"github.com/tenon-go/tenon/internal/linkerr"
)

var errPeerClosed = fmt.Errorf("%w: it has closed the link", linkerr.ErrPeerGone)

// A lane is one direction of a pair.
type lane struct {
	mu    sync.Mutex
	queue bytequeue.Queue
	lent  int // bytes at the queue's head that are with the receiver

	input           sync.Cond // there may be something for the receiver
	room            sync.Cond // there may be room for the sender
	recvInterrupted bool
	sendInterrupted bool
	senderClosed    bool
	receiverClosed  bool
}

func newLane(capacity int) *lane {
	l := new(lane)
	l.queue.Init(capacity)
	l.input.L = &l.mu
	l.room.L = &l.mu
	return l
}

func (l *lane) reserve(n int) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sendErr() != nil {
		return nil
	}
	return l.queue.Reserve(n)
}

func (l *lane) commit(p []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.sendErr(); err != nil {
		return err
	}
	return l.queue.Commit(p)
}

func (l *lane) flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.publish()
}

func (l *lane) waitSend(n int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.publish(); err != nil {
		return err
	}
	for {
		switch err := l.sendErr(); {
		case err != nil:
			return err
		case l.sendInterrupted:
			l.sendInterrupted = false
			return linkerr.ErrInterrupted
		case l.queue.Fits(n):
			return nil
		}
		l.room.Wait()
	}
}

func (l *lane) send(p []byte) error {
	const piece = bytequeue.LargeBlock / 2 // so that the receiver starts on the first while the second is copied
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(p) > 0 {
		n := min(len(p), piece)
		for l.sendErr() == nil && !l.queue.Fits(n) {
			l.publish()
			l.room.Wait()
		}
		if err := l.sendErr(); err != nil {
			return err
		}
		room := l.queue.Reserve(n)
		l.mu.Unlock()
		room = append(room, p[:n]...)
		l.mu.Lock()
		if err := l.sendErr(); err != nil {
			return err
		}
		if err := l.queue.Commit(room); err != nil {
			return err
		}
		l.publish()
		p = p[n:]
	}
	return l.publish()
}

func (l *lane) tryRecv() ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.receiverClosed {
		return nil, net.ErrClosed
	}
	l.giveBack()
	p := l.queue.Peek()
	if p == nil && l.senderClosed {
		return nil, io.EOF
	}
	l.lent = len(p)
	return p, nil
}

func (l *lane) waitRecv() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		if l.receiverClosed {
			return net.ErrClosed
		}
		l.giveBack()
		switch {
		case l.recvInterrupted:
			l.recvInterrupted = false
			return linkerr.ErrInterrupted
		case l.queue.Peek() != nil || l.senderClosed:
			return nil
		}
		l.input.Wait()
	}
}

func (l *lane) interruptRecv() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.recvInterrupted = true
	l.input.Broadcast()
}

func (l *lane) interruptSend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sendInterrupted = true
	l.room.Broadcast()
}

func (l *lane) endSending() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.senderClosed = true
	l.input.Broadcast()
	l.room.Broadcast()
}

func (l *lane) endReceiving() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.receiverClosed = true
	l.input.Broadcast()
	l.room.Broadcast()
}

func (l *lane) sendErr() error {
	switch {
	case l.senderClosed:
		return net.ErrClosed
	case l.receiverClosed:
		return errPeerClosed
	}
	return nil
}

func (l *lane) publish() error {
	if err := l.sendErr(); err != nil {
		return err
	}
	l.queue.Publish()
	l.input.Signal()
	return nil
}

func (l *lane) giveBack() {
	if l.lent > 0 {
		l.queue.Discard(l.lent)
		l.lent = 0
		l.room.Signal()
	}
}
