package main

import (
	"os"

	"golang.org/x/sys/unix"
)

var sharingMissing error

// shareMemory returns memory of its own name-less file, for two processes.
func shareMemory(size int) (*os.File, error) {
	fd, err := unix.MemfdCreate("ring", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	file := os.NewFile(uintptr(fd), "ring")
	if err := file.Truncate(int64(size)); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func mapMemory(file *os.File, size int) (mem []byte, unmap func() error, err error) {
	mem, err = unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return mem, func() error { return unix.Munmap(mem) }, nil
}
