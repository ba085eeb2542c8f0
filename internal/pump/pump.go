package pump

import (
	"sync"
	"time"
)

// Limit bounds, in bytes, what waits to be sent.
const Limit = 256 << 10

// Linger is how long Close tries to deliver what was flushed before. Only tests
// change it.
var Linger = time.Second

// A Plain link is all that the pump needs; tenon.Link satisfies it.
type Plain interface {
	Send(p []byte) error
	Recv() ([]byte, error)
	Close() error
}

// A Link is a plain link in the shape of tenon.DirectLink.
type Link struct {
	*Sender
	*Receiver
	plain Plain

	close    sync.Once
	closeErr error
}

// New starts the pump. The plain link belongs to it from now on.
func New(plain Plain) *Link {
	return &Link{
		Sender:   NewSender(plain.Send, nil),
		Receiver: NewReceiver(plain.Recv),
		plain:    plain,
	}
}

// Close ends all waits at once, delivers what was flushed, waiting for at most
// Linger, and closes the plain link.
func (l *Link) Close() error {
	l.close.Do(func() {
		l.Receiver.End()
		l.Sender.End(Linger)
		l.closeErr = l.plain.Close()
	})
	return l.closeErr
}
