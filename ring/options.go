package ring

import (
	"log/slog"
	"time"

	"github.com/tenon-go/tenon/internal/spin"
)

// An Option changes how a Reader or a Writer behaves. Both sides choose their
// own, apart from WaitBy, which they must agree on.
type Option func(*options)

type options struct {
	spin    time.Duration
	waiter  Waiter
	timeout time.Duration
	onWait  func()
	logger  *slog.Logger
	records int
	bytes   int
	press   func()
	door    *doorbell
}

func collect(opts []Option) options {
	o := options{
		spin:    spin.DefaultBudget,
		waiter:  Futex,
		timeout: time.Minute,
		records: 1024,
		bytes:   256 << 10,
	}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// Spin sets how long a wait polls before it sleeps: 100 microseconds unless
// set, never with 0. It adapts: while recent waits lasted longer, it does not
// poll at all.
func Spin(budget time.Duration) Option {
	return func(o *options) { o.spin = budget }
}

// WaitBy sets how a side sleeps and is woken: by Futex unless set.
func WaitBy(w Waiter) Option {
	return func(o *options) { o.waiter = w }
}

// AtDoorbell lets a Reader that nothing has reached for about a second wait
// without a thread of the system, and one for which too many threads sleep
// already. It then waits until somebody calls its method Rung. Only for a ring
// whose Writer has the option PressDoorbell.
func AtDoorbell() Option {
	return func(o *options) { o.door = newDoorbell() }
}

// PressDoorbell sets how the Writer wakes a Reader with the option AtDoorbell:
// press must make the Reader's process call Rung, soon, and must not block. It
// is needed once per wake-up; one that is still on its way counts for the next.
func PressDoorbell(press func()) Option {
	return func(o *options) { o.press = press }
}

// Timeout sets how long Write waits for room before it answers [ErrTimeout]: a
// minute unless set, without limit with 0. A context may end the wait earlier.
func Timeout(d time.Duration) Option {
	return func(o *options) { o.timeout = d }
}

// OnWait sets a function that the Writer calls while it must wait for room,
// first when it finds the ring full and then again every millisecond. Where
// one goroutine drives both sides, the function reads and so makes room. It
// must not use the Writer.
func OnWait(f func()) Option {
	return func(o *options) { o.onWait = f }
}

// Logger sets where the Writer reports, at level Warn, that it has been
// waiting for the reader for more than a second, once per wait.
func Logger(l *slog.Logger) Option {
	return func(o *options) { o.logger = l }
}

// DrainLimit sets where one Drain stops: after so many records or when so many
// bytes are reached, 1024 and 256 KiB unless set.
func DrainLimit(records, bytes int) Option {
	return func(o *options) { o.records, o.bytes = records, bytes }
}
