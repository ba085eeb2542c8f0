package inproc

import (
	"context"
	"sync"

	"github.com/tenon-go/tenon/internal/bytequeue"
	"github.com/tenon-go/tenon/internal/linkerr"
)

// A Link is one end of a pair. It satisfies tenon.DirectLink.
type Link struct {
	in, out *lane
	values  values
	close   sync.Once
}

// An Option changes a pair.
type Option func(*options)

type options struct {
	capacity int
	values   int
}

const (
	defaultCapacity = 1 << 20
	defaultValues   = 64
)

// Capacity bounds, in bytes, what each direction holds unread. It is rounded
// down to a multiple of 128 KiB, the least there is. The default is 1 MiB.
func Capacity(n int) Option { return func(o *options) { o.capacity = n } }

// ValueCapacity bounds how many values each direction holds unread. The default
// is 64; 0 makes the sender wait for the receiver.
func ValueCapacity(n int) Option { return func(o *options) { o.values = max(0, n) } }

// Pair returns two links that are joined to each other.
func Pair(opts ...Option) (a, b *Link) {
	o := options{capacity: defaultCapacity, values: defaultValues}
	for _, opt := range opts {
		opt(&o)
	}
	ab, ba := newLane(o.capacity), newLane(o.capacity)
	va, vb := valuePair(o.values)
	return &Link{in: ba, out: ab, values: va}, &Link{in: ab, out: ba, values: vb}
}

// Kind is "inproc".
func (l *Link) Kind() string { return "inproc" }

// MaxReserve returns the largest n that Reserve can give: 128 KiB.
func (l *Link) MaxReserve() int { return bytequeue.LargeBlock }

// Reserve returns memory to append to, or nil when there is no room now.
func (l *Link) Reserve(n int) []byte { return l.out.reserve(n) }

// Commit takes what was appended to the reserved slice.
func (l *Link) Commit(p []byte) error { return l.out.commit(p) }

// Flush makes everything committed visible to the other side.
func (l *Link) Flush() error { return l.out.flush() }

// WaitSend flushes and waits until Reserve(n) fits.
func (l *Link) WaitSend(n int) error {
	if n > l.MaxReserve() {
		return linkerr.ErrTooLarge
	}
	return l.out.waitSend(n)
}

// Send copies all of p to the other side, waiting for room where it must.
// Interrupts do not touch it; Close on either side ends it.
func (l *Link) Send(p []byte) error { return l.out.send(p) }

// TryRecv returns the next bytes, or nil when there are none.
func (l *Link) TryRecv() ([]byte, error) { return l.in.tryRecv() }

// WaitRecv waits until TryRecv has something. It gives the last slice back.
func (l *Link) WaitRecv() error { return l.in.waitRecv() }

// Recv waits for the next bytes.
func (l *Link) Recv() ([]byte, error) {
	for {
		p, err := l.TryRecv()
		if p != nil || err != nil {
			return p, err
		}
		if err := l.WaitRecv(); err != nil {
			return nil, err
		}
	}
}

// InterruptRecv makes the receiver's wait, this one or the next, return
// ErrInterrupted.
func (l *Link) InterruptRecv() { l.in.interruptRecv() }

// InterruptSend does the same for WaitSend.
func (l *Link) InterruptSend() { l.out.interruptSend() }

// SendValue hands v to the other side, which owns it from then on, and waits
// for room until ctx ends. Any number of goroutines may call it.
func (l *Link) SendValue(ctx context.Context, value any) error { return l.values.send(ctx, value) }

// RecvValue returns the next value of the other side and waits for it until ctx
// ends. Any number of goroutines may call it. After the other side's Close it
// returns what was sent before, then io.EOF; after this side's, net.ErrClosed.
func (l *Link) RecvValue(ctx context.Context) (any, error) { return l.values.recv(ctx) }

// Close ends this side at once and the other one as soon as it has read what
// was flushed. It always returns nil.
func (l *Link) Close() error {
	l.close.Do(func() {
		l.out.endSending()
		l.in.endReceiving()
		l.values.end()
	})
	return nil
}
