package codec

import (
	"fmt"
	"unsafe"
)

// A message says how many elements follow, and each may be one byte long on the
// wire and large in memory. So what a message can make the decoder allocate is
// limited: to maxExpansion times its length, and to freeMemory for short ones.
// Values that were encoded completely stay below a third of that.
const (
	maxExpansion = 64
	freeMemory   = 16 << 20
)

// New returns a pointer to a zero T and counts its memory. It is never nil.
func New[T any](d *Decoder) *T {
	var zero T
	d.spend(1, unsafe.Sizeof(zero))
	return new(T)
}

// MakeSlice reads the header of an array and returns a slice for its elements.
func MakeSlice[T any](d *Decoder) []T {
	var zero T
	n := d.Array()
	if !d.spend(n, unsafe.Sizeof(zero)) {
		return nil
	}
	return make([]T, n)
}

// MakeMap reads the header of a map and returns a map with room for the pairs
// that follow, and their number.
func MakeMap[K comparable, V any](d *Decoder) (map[K]V, int) {
	var (
		key   K
		value V
	)
	n := d.Map()
	if !d.spend(n, unsafe.Sizeof(key)+unsafe.Sizeof(value)) {
		return nil, 0
	}
	return make(map[K]V, n), n
}

// spend takes memory for n values of a size off what the message may use.
func (d *Decoder) spend(n int, size uintptr) bool {
	if d.err != nil {
		return false
	}
	// n is at most the length of the message and a size below 2^32 for every
	// type that can be encoded at all, so this does not overflow.
	d.spent += uint64(n) * uint64(size)
	if d.spent > max(freeMemory, maxExpansion*d.size) {
		d.Fail(fmt.Errorf("message of %d bytes wants more than %d bytes of memory", d.size, max(freeMemory, maxExpansion*d.size)))
		return false
	}
	return true
}
