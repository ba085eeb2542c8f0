package shm

import "net"

// TryRecv returns the next bytes, or nil, nil when there are none. The slice
// may be read until the next TryRecv or Recv.
func (l *Link) TryRecv() ([]byte, error) {
	if !l.receiver.take() {
		return nil, net.ErrClosed
	}
	p, err := l.in.TryRead()
	if p != nil {
		l.order.received()
	}
	if p == nil && (err != nil || !l.stays) {
		l.receiver.drop()
	}
	return p, err
}

// Recv waits for the next bytes: it polls for a while where that promises
// something, and then sleeps.
func (l *Link) Recv() ([]byte, error) {
	if p, err := l.TryRecv(); p != nil || err != nil {
		return p, err
	}
	l.poller.Begin()
	for {
		if p, err := l.poll(); p != nil || err != nil {
			l.poller.End()
			return p, err
		}
		if err := l.WaitRecv(); err != nil {
			return nil, err
		}
		if p, err := l.TryRecv(); p != nil || err != nil {
			l.poller.End()
			return p, err
		}
	}
}

// poll is TryRecv again and again, with one hold for all of it.
func (l *Link) poll() ([]byte, error) {
	if !l.receiver.take() {
		return nil, net.ErrClosed
	}
	for !l.Cold() && l.poller.Again() {
		if l.in.Ready() {
			break
		}
	}
	return l.TryRecv()
}

// WaitRecv sleeps, without polling, until the peer's Flush wakes it. It may
// return early: ask TryRecv. While one goroutine lies here another one may
// receive between Disarm and Arm.
func (l *Link) WaitRecv() error {
	if !l.base.take() {
		return net.ErrClosed
	}
	defer l.base.drop()
	return l.in.Wait(background)
}

// Arm makes the peer's next Flush wake the goroutine in WaitRecv. It answers
// false when input is there already: somebody has to read it. Any goroutine may
// call it, also while another one receives.
func (l *Link) Arm() bool {
	if !l.others.enter() {
		return false
	}
	armed := l.in.Arm()
	l.others.leave()
	return armed
}

// Disarm makes the peer's Flush wake nobody. The receiver calls it. From the
// first Disarm on the memory is held until TryRecv answers an error, which
// spares every look of a polling receiver two atomic operations.
func (l *Link) Disarm() {
	if l.receiver.take() {
		l.stays = true
		l.in.Disarm()
	}
}
