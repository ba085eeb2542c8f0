package linktest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tenon-go/tenon"
)

// Decorators wrap a link and return one of the same shape: a tenon.DirectLink
// for a DirectLink. They are for tests of whatever lies above a link. The link
// that was wrapped must not be used beside them.

// Cut sends and hands out in pieces of random sizes, from a single byte on, and
// now and then hands out in one slice what arrived in several. To a receiver
// that relies on the borders of chunks this is fatal; to all others it is
// nothing. The same seed cuts in the same way.
func Cut(l tenon.Link, seed uint64) tenon.Link {
	send := rand.New(rand.NewPCG(seed, 1))
	recv := rand.New(rand.NewPCG(seed, 2))
	return decorate(l, hooks{
		sendPiece: func(n int) int { return piece(send, n) },
		recvPiece: func(n int) int { return piece(recv, n) },
		join:      func() bool { return recv.IntN(3) == 0 },
	})
}

// piece is 1 to n: all, or a size whose order of magnitude is random. The floor
// keeps large messages from falling to dust.
func piece(rng *rand.Rand, n int) int {
	if rng.IntN(4) == 0 {
		return n
	}
	return max(min(n, 1+rng.IntN(1<<rng.IntN(14))), n/64)
}

// Delay sleeps for a random time up to most before every fourth or so of the
// operations that may wait, and of the Flushes.
func Delay(l tenon.Link, most time.Duration) tenon.Link {
	return decorate(l, hooks{before: func(op operation, _ int) {
		switch op {
		case opSend, opRecv, opWaitSend, opWaitRecv, opFlush:
			if most > 0 && rand.N(4) == 0 {
				time.Sleep(rand.N(most))
			}
		}
	}})
}

// Fail breaks the link once n bytes have been sent through it, wherever in a
// message that is. The other side receives exactly those, then its end; this
// side gets an error that wraps tenon.ErrPeerGone.
func Fail(l tenon.Link, n int64) tenon.Link {
	return decorate(l, hooks{
		breakAfter: n,
		broken:     fmt.Errorf("%w: linktest.Fail broke the link after %d bytes", tenon.ErrPeerGone, n),
	})
}

// Trace tells logf, for instance t.Logf, about every operation when it is done.
// A TryRecv that finds nothing is passed over. logf is called from whatever
// goroutine uses the link.
func Trace(l tenon.Link, name string, logf func(format string, args ...any)) tenon.Link {
	return decorate(l, hooks{after: func(op operation, n int, err error) {
		switch {
		case err != nil:
			logf("%s: %s: %v", name, op, err)
		case op == opTryRecv && n == 0:
		case op == opFlush || op == opWaitRecv || op == opClose:
			logf("%s: %s", name, op)
		default:
			logf("%s: %s %d bytes", name, op, n)
		}
	}})
}
