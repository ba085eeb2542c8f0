package pool

import (
	"context"
	"hash/maphash"
)

type keyKey struct{}

var keySeed = maphash.MakeSeed()

// WithKey has the calls of ctx through a pool go to one and the same member for
// one and the same key, so that what the member keeps in its memory for that key
// (a document, a model, a session's cache) is there at the next call. A call
// waits for its member when that is busy; see the guarantees of the package for
// what becomes of the keys of a member that ended.
//
// The key concerns the pools that are called with ctx. It does not travel to
// handlers.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyKey{}, maphash.String(keySeed, key))
}

// A wish is what a call wants of its seat.
type wish struct {
	avoid *seat // take another one if there is one
	key   uint64
	keyed bool
}

func wishOf(ctx context.Context) (w wish) {
	w.key, w.keyed = ctx.Value(keyKey{}).(uint64)
	return w
}

// seat returns the seat that the key belongs to, by rendezvous hashing: every
// place has a score for every key, and the highest score among the places that
// are taken decides. So a place that comes or goes moves its own keys only.
func (w wish) seat(seats []*seat) (best *seat) {
	var most uint64
	for _, s := range seats {
		if s == w.avoid && len(seats) > 1 {
			continue
		}
		if score := mix(w.key ^ s.keeper.spot); best == nil || score > most {
			best, most = s, score
		}
	}
	return best
}

// mix spreads every bit of x over all of the result (the finalizer of
// SplitMix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
