package bench

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/tenon-go/tenon/ring"
	"github.com/tenon-go/tenon/worker"
)

// newRingMemory makes memory with a ring in it, which another process can map
// too if it inherits the file.
func newRingMemory() (file *os.File, memory []byte, unmap func(), err error) {
	fd, err := unix.MemfdCreate("ring", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, nil, nil, os.NewSyscallError("memfd_create", err)
	}
	file = os.NewFile(uintptr(fd), "ring")
	if err := file.Truncate(int64(ring.MemorySize(ringCapacity))); err != nil {
		file.Close()
		return nil, nil, nil, err
	}
	memory, unmap, err = mapRing(file)
	if err == nil {
		if err = ring.Format(memory); err == nil {
			return file, memory, unmap, nil
		}
		unmap()
	}
	file.Close()
	return nil, nil, nil, err
}

func mapRing(file *os.File) (memory []byte, unmap func(), err error) {
	memory, err = unix.Mmap(int(file.Fd()), 0, ring.MemorySize(ringCapacity), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return memory, func() { _ = unix.Munmap(memory) }, nil
}

// openInheritedRing opens the ring in the memory that the parent passed on. It
// stays mapped as long as the process lives.
func openInheritedRing() (*ringWriter, error) {
	files := worker.InheritedFiles()
	if len(files) != 1 {
		return nil, errors.New("no memory was passed on")
	}
	memory, _, err := mapRing(files[0])
	if err != nil {
		return nil, err
	}
	w, err := ring.NewWriter(memory)
	if err != nil {
		return nil, err
	}
	return &ringWriter{w}, nil
}
