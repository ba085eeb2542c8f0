package shm

import (
	"fmt"
	"math/bits"
	"os"
	"time"

	"github.com/tenon-go/tenon/internal/spin"
	"github.com/tenon-go/tenon/ring"
)

const defaultSize = 1 << 20

// An Option changes what Create, Attach, Pair, Listen and Dial make.
type Option func(*options)

type options struct {
	size     int
	spin     time.Duration
	allowUID func(uid int) bool
	reserves bool // Create reserves the memory
}

// Size sets how many bytes each direction buffers: 1 MiB unless set, rounded up
// to a power of two, 4 KiB at least. It is chosen by Create and Listen; Attach and
// Dial take what they find.
func Size(bytes int) Option {
	return func(o *options) { o.size = bytes }
}

// Spin sets how long Recv and WaitSend poll before they sleep: 100 microseconds
// unless set, never with 0. It adapts: while recent waits lasted longer, they
// do not poll at all.
func Spin(budget time.Duration) Option {
	return func(o *options) { o.spin = budget }
}

// ReserveLater has Create leave it to [Peer.Reserve] to set the memory aside, so
// that a child can be started meanwhile: it takes about as long as a fork.
func ReserveLater() Option {
	return func(o *options) { o.reserves = false }
}

// AllowUID sets whom Listen lets in and to whom Dial speaks: allow is asked for
// the user id of the process at the other end, as the kernel tells it. Unless
// set, it must be the effective user id of this process. Listen calls it from
// several goroutines.
func AllowUID(allow func(uid int) bool) Option {
	return func(o *options) { o.allowUID = allow }
}

func collect(opts []Option) (options, error) {
	o := options{
		size:     defaultSize,
		spin:     spin.DefaultBudget,
		reserves: true,
		allowUID: func(uid int) bool { return uid == os.Geteuid() },
	}
	for _, opt := range opts {
		opt(&o)
	}
	if o.size < 1 || o.size > ring.MaxCapacity {
		return o, fmt.Errorf("shm: size %d: want 1 to %d bytes per direction", o.size, ring.MaxCapacity)
	}
	o.size = max(1<<bits.Len(uint(o.size-1)), ring.MinCapacity)
	return o, nil
}
