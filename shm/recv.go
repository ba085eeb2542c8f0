package shm

import "net"

// TryRecv returns the next bytes, or nil, nil when there are none. The slice
// may be read until the next TryRecv or Recv.
func (l *Link) TryRecv() ([]byte, error) {
	if !l.receiver.take() {
		return nil, net.ErrClosed
	}
	p, err := l.in.TryRead()
	if p == nil {
		l.receiver.drop()
	}
	return p, err
}

// Recv waits for the next bytes: it polls for a while and then sleeps.
func (l *Link) Recv() ([]byte, error) {
	if p, err := l.TryRecv(); p != nil || err != nil {
		return p, err
	}
	l.poller.Begin()
	for {
		for l.poller.Again() {
			if p, err := l.TryRecv(); p != nil || err != nil {
				l.poller.End()
				return p, err
			}
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

// WaitRecv sleeps, without polling, until the peer's Flush wakes it. It may
// return early: ask TryRecv. While one goroutine lies here another one may
// receive between Disarm and Arm.
func (l *Link) WaitRecv() error {
	if !l.base.take() {
		return nil // TryRecv says why
	}
	defer l.base.drop()
	return l.in.Wait(background)
}

// Arm makes the peer's next Flush wake the goroutine in WaitRecv. It answers
// false, and arms nothing, when input is there already. It may run while
// another goroutine has become the receiver already: who gives the receiver's
// role away arms only then, or input that comes in between would wake nobody.
func (l *Link) Arm() (armed bool) {
	l.withMemory(func() { armed = l.in.Arm() })
	return armed
}

// Disarm makes the peer's Flush wake nobody.
func (l *Link) Disarm() {
	inside := l.receiver.taken
	if !l.receiver.take() {
		return
	}
	l.in.Disarm()
	if !inside {
		l.receiver.drop()
	}
}
