//go:build race

package shm

import (
	"runtime"
	"unsafe"
)

// An order tells the race detector that what was received comes after what was sent.
// It does not see mapped memory, and so would report goroutines that take turns by way
// of the other process, as two calls of a function do that a handler makes one after
// the other. As with files and sockets, anything sent comes before anything received
// later, over whichever link.
type order struct {
	visible bool // the memory is ordinary: it sees for itself
}

var through byte

func (o order) sent() {
	if !o.visible {
		runtime.RaceReleaseMerge(unsafe.Pointer(&through))
	}
}

func (o order) received() {
	if !o.visible {
		runtime.RaceAcquire(unsafe.Pointer(&through))
	}
}

func (o *order) ownMemory() { o.visible = true }
