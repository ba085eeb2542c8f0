package shm

import (
	"errors"
	"io"
	"net"

	"github.com/tenon-go/tenon/internal/linkerr"
)

// chunk is how much of a large Send is published at once: small enough that the
// peer copies out while we copy in and both stay in the cache.
const chunk = 32 << 10

// MaxReserve returns the largest n that Reserve can give: half the size of the
// ring less 8.
func (l *Link) MaxReserve() int { return l.out.MaxRecord() }

// Reserve returns memory of capacity n to append to, or nil when there is no
// room at the moment.
func (l *Link) Reserve(n int) []byte {
	if !l.sender.take() {
		return nil
	}
	b := l.out.Reserve(n)
	if b == nil {
		l.sender.drop()
	}
	return b
}

// Commit takes what was appended to the reserved slice.
//
// The sender's hold stays from here to Flush: it would only be taken again.
func (l *Link) Commit(p []byte) error {
	if !l.sender.take() {
		return net.ErrClosed
	}
	if len(p) == 0 {
		l.out.Reserve(-1) // ends the reservation; bytes have no borders, so none are no message
		return nil
	}
	err := l.out.Commit(p)
	if err != nil {
		l.sender.drop()
	}
	return gone(err)
}

// Flush publishes what is committed and wakes the peer if it sleeps.
func (l *Link) Flush() error {
	if !l.sender.take() {
		return net.ErrClosed
	}
	l.order.sent()
	err := l.out.Flush()
	l.cold.flushed(l.out.Stats().Wakes)
	l.sender.drop()
	return gone(err)
}

// WaitSend publishes what is committed and waits until Reserve(n) fits.
func (l *Link) WaitSend(n int) error {
	if !l.sender.take() {
		return net.ErrClosed
	}
	l.order.sent()
	err := l.out.Wait(background, n)
	l.sender.drop()
	return gone(err)
}

// Send sends all of p and waits for room when it must. Interrupts do not touch
// it.
func (l *Link) Send(p []byte) error {
	interrupted := false
	for len(p) > 0 {
		n := min(len(p), chunk, l.MaxReserve())
		b := l.Reserve(n)
		if b == nil {
			switch err := l.WaitSend(n); err {
			case nil:
			case linkerr.ErrInterrupted:
				interrupted = true
			default:
				return err
			}
			continue
		}
		if err := l.Commit(append(b, p[:n]...)); err != nil {
			return err
		}
		if p = p[n:]; len(p) > 0 {
			if err := l.Flush(); err != nil {
				return err
			}
		}
	}
	if interrupted {
		l.InterruptSend() // it was meant for WaitSend
	}
	return l.Flush()
}

// gone puts the ring's word for a reader that closed into the words of a link.
func gone(err error) error {
	if errors.Is(err, io.ErrClosedPipe) {
		return io.EOF
	}
	return err
}
