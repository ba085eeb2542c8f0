package tenon_test

import (
	"sync/atomic"
	"time"

	"github.com/tenon-go/tenon"
)

// stopped makes every stopping link stand still, like a process that got SIGSTOP.
var stopped atomic.Bool

// stopping is a plain link that takes nothing and gives nothing while stopped.
type stopping struct {
	tenon.Link
	closed chan struct{}
}

func (l stopping) wait() {
	for stopped.Load() {
		select {
		case <-l.closed:
			return
		case <-time.After(100 * time.Microsecond):
		}
	}
}

func (l stopping) Send(p []byte) error {
	l.wait()
	return l.Link.Send(p)
}

func (l stopping) Recv() ([]byte, error) {
	p, err := l.Link.Recv()
	l.wait()
	return p, err
}

func (l stopping) Close() error {
	select {
	case <-l.closed:
	default:
		close(l.closed)
	}
	return l.Link.Close()
}
