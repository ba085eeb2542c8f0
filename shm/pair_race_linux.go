//go:build race

package shm

import "unsafe"

// Pair returns both ends of a link within this process. The race detector does
// not see mapped memory and reports what is handed over through it, so here the
// rings lie on ordinary memory.
func Pair(opts ...Option) (a, b *Link, err error) {
	o, err := collect(opts)
	if err != nil {
		return nil, nil, err
	}
	size := memorySize(o.size)
	mem := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(make([]uint64, size/8)))), size)
	if err := format(mem, o.size); err != nil {
		return nil, nil, err
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, nil, err
	}
	defer theirs.Close()
	other, err := pollable(theirs)
	if err != nil {
		ours.Close()
		return nil, nil, err
	}
	nothing := func() {}
	there, back := rings(mem, o.size)
	if a, err = newLink(&mapping{mem: mem, unmap: nothing}, there, back, ours, o); err != nil {
		other.Close()
		return nil, nil, err
	}
	if b, err = newLink(&mapping{mem: mem, unmap: nothing}, back, there, other, o); err != nil {
		a.Close()
		return nil, nil, err
	}
	a.order.ownMemory()
	b.order.ownMemory()
	return a, b, nil
}
