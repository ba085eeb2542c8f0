package tenon

import (
	"context"
	"log/slog"
	"time"

	"github.com/tenon-go/tenon/internal/wire"
)

// An Option changes how a connection behaves. Servers take options too, for all
// their connections. A number that makes no sense counts as the nearest one that
// does.
type Option func(*options)

type options struct {
	peer    string
	cause   func(error) error
	polling time.Duration
	logger  *slog.Logger
	limits  wire.Limits

	token     string
	anonymous bool
	accepts   bool  // this side was connected to
	strict    bool  // by a stranger, who has to introduce itself in time
	refused   error // why the peer may not call

	handlers, calls []Interceptor
	review          func(context.Context, *CallInfo, error) error
	observe         func(ClientState, error)
}

func newOptions(opts []Option) options {
	o := options{
		polling: DefaultPolling,
		limits: wire.Limits{
			Message:    256 << 20,
			Reassembly: 512 << 20,
			Calls:      16 << 10,
			Metadata:   64 << 10,

			StreamBytes: 64 << 10,
			StreamItems: 16 << 10,
		},
	}
	for _, opt := range opts {
		if opt == nil {
			panic("tenon: an option is nil")
		}
		opt(&o)
	}
	o.limits.Reassembly = max(o.limits.Reassembly, o.limits.Message)
	if o.logger == nil {
		o.logger = slog.Default()
	}
	return o
}

// DefaultPolling is how long a side looks for the next message before it goes
// to sleep: long enough to cover the wake-up of the other side, which costs 10
// to 30 us, and short enough that an idle connection costs nothing.
const DefaultPolling = 100 * time.Microsecond

// WithPolling sets how long a waiting side polls before it sleeps, on links
// that can be polled; 0 or less means never. Polling keeps a core busy for that time
// and makes a call over shared memory about ten times faster. It adapts: where
// messages come more rarely than the budget, and where only one CPU is
// available, nobody polls.
func WithPolling(budget time.Duration) Option {
	return func(o *options) { o.polling = max(budget, 0) }
}

// WithPeerName names the other side in errors, such as "worker thumbs-1 (pid
// 4711)".
func WithPeerName(name string) Option { return func(o *options) { o.peer = name } }

// WithCause sets a function that is called once when the link broke, before the
// open calls are settled. It gets the link's error and returns a better one, for
// which it may wait 50 ms at most, since every caller waits with it. Its result
// is the cause of each call's error.
func WithCause(f func(error) error) Option { return func(o *options) { o.cause = f } }

// WithLogger sets where a handler's panic is reported with its stack, which
// never travels to the peer. The default is slog.Default.
func WithLogger(l *slog.Logger) Option { return func(o *options) { o.logger = l } }

// WithErrorHook has f see every error of this side's handlers before it travels:
// returned ones, panics (as a [*PanicError] in the chain), arguments that could
// not be decoded. What f returns travels instead, so that it can mask what
// strangers should not read; nil leaves the error as it is.
func WithErrorHook(f func(ctx context.Context, info *CallInfo, err error) error) Option {
	return func(o *options) { o.review = f }
}

// WithMaxCalls bounds how many calls of the peer may be open at once. The
// peer's further callers wait, with their contexts. Less than 1 counts as that. The
// default is 16,384.
func WithMaxCalls(n int) Option {
	return func(o *options) { o.limits.Calls = uint32(min(max(n, 1), 1<<30)) }
}

// WithMaxReassembly bounds how many bytes this side keeps of large messages that
// have not arrived whole. The peer's senders wait for their turn. It is at least
// one message. The default is 512 MiB.
func WithMaxReassembly(n int) Option {
	return func(o *options) { o.limits.Reassembly = uint32(min(max(n, 1<<10), 1<<31-1)) }
}

// WithMaxMessage bounds the size in bytes of one message to this side. A caller
// who has more gets an error that names the limit, before anything is sent. Less
// than 1 KiB counts as that. The default is 256 MiB. Values in memory are larger
// than their messages, for honest peers a few times, for a hostile one up to 64
// times: lower the limit where you serve strangers.
func WithMaxMessage(n int) Option {
	return func(o *options) { o.limits.Message = uint32(min(max(n, 1<<10), 1<<30)) }
}

// WithStreamWindow sets how far the senders of this side's streams may be ahead of
// whoever takes the items, for each stream: bytes encoded, and items. A stream
// that is read fast gets more bytes by and by, 4 MiB at most and 16 MiB for all
// streams of a connection beyond what each has. One item may always be on its
// way, however large. Less than 1 counts as that. The default is 64 KiB and 16,384
// items.
func WithStreamWindow(bytes, items int) Option {
	return func(o *options) {
		o.limits.StreamBytes = uint32(min(max(bytes, 1), 1<<30))
		o.limits.StreamItems = uint32(min(max(items, 1), 1<<30))
	}
}
