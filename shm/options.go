package shm

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/tenon-go/tenon/internal/spin"
	"github.com/tenon-go/tenon/ring"
)

const defaultSize = 1 << 20

// An Option changes what Create, Attach and Pair make.
type Option func(*options)

type options struct {
	size int
	spin time.Duration
}

// Size sets how many bytes each direction buffers: 1 MiB unless set, rounded up
// to a power of two, 4 KiB at least. It is chosen by Create; Attach takes what
// it finds.
func Size(bytes int) Option {
	return func(o *options) { o.size = bytes }
}

// Spin sets how long Recv and WaitSend poll before they sleep: 100 microseconds
// unless set, never with 0. It adapts: while recent waits lasted longer, they
// do not poll at all.
func Spin(budget time.Duration) Option {
	return func(o *options) { o.spin = budget }
}

func collect(opts []Option) (options, error) {
	o := options{size: defaultSize, spin: spin.DefaultBudget}
	for _, opt := range opts {
		opt(&o)
	}
	if o.size < 1 || o.size > ring.MaxCapacity {
		return o, fmt.Errorf("shm: size %d: want 1 to %d bytes per direction", o.size, ring.MaxCapacity)
	}
	o.size = max(1<<bits.Len(uint(o.size-1)), ring.MinCapacity)
	return o, nil
}
