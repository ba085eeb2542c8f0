package tenon

import "sync/atomic"

// The reader's role: exactly one goroutine takes bytes off the link. The base
// reader, a goroutine of the connection, has it by default. Two others may take
// it. A caller who waits for an answer reads by itself while the base reader
// does not, so that the answer need not be handed from one goroutine to another.
// And a new base reader takes the place of one that a handler holds up.
//
//	roleBase        the base reader reads
//	roleAsleep      nobody reads; the base reader lies in WaitRecv and the next
//	                flush of the peer wakes it
//	roleLoose       nobody reads; the base reader lies in WaitRecv and nothing wakes
//	                it. The watch does not let that last
//	roleFree        nobody reads; the base reader is parked. The watch does not
//	                let that last
//	roleRun         nobody reads; the base reader runs a handler. The watch does
//	                not let that last
//	roleCaller      a caller reads, the base reader lies in WaitRecv
//	roleCallerFree  a caller reads, the base reader is parked
//	roleCallerRun   a caller reads, the base reader runs a handler
//
// roleAsleep, roleLoose and roleCaller exist where a link can be polled:
// elsewhere the base reader that lies in WaitRecv keeps roleBase. Who enters
// roleAsleep calls Arm AFTER that: input that came before is seen by Arm itself,
// and input that comes later wakes the base reader, which then finds the role
// free.
const (
	roleBase uint64 = iota
	roleAsleep
	roleLoose
	roleFree
	roleRun
	roleCaller
	roleCallerFree
	roleCallerRun

	roleBits = 3
	roleMask = 1<<roleBits - 1
)

// A roleWord says who reads. Above the state it holds an epoch, which changes
// when roleFree or roleRun is entered and when a new base reader starts: one that
// comes back from a handler and finds another epoch has been replaced.
type roleWord struct{ atomic.Uint64 }

// roleWith is a role word.
func roleWith(epoch, state uint64) uint64 { return epoch<<roleBits | state }

// is reports whether the role is in the state.
func (w *roleWord) is(state uint64) bool { return w.Load()&roleMask == state }

// move goes from one state to another, and reports false if it is in a third.
func (w *roleWord) move(from, to uint64) bool { return w.step(from, to, 0) }

// step is move with so many epochs more.
func (w *roleWord) step(from, to, epochs uint64) bool {
	for {
		now := w.Load()
		if now&roleMask != from {
			return false
		}
		if w.CompareAndSwap(now, roleWith(now>>roleBits+epochs, to)) {
			return true
		}
	}
}

// enter goes from roleBase, which only the base reader leaves, to roleFree or
// roleRun and returns the new epoch.
func (w *roleWord) enter(to uint64) (epoch uint64) {
	epoch = w.Load()>>roleBits + 1
	w.Store(roleWith(epoch, to))
	return epoch
}

// replace enters roleBase, for a new base reader, if the word is still now.
func (w *roleWord) replace(now uint64) bool {
	return w.CompareAndSwap(now, roleWith(now>>roleBits+1, roleBase))
}
