package shm

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// The system calls that tests let fail.
var (
	memfdCreate = unix.MemfdCreate
	fallocate   = unix.Fallocate
)

// newMemory returns the memory of a link, formatted, and our view of it.
func newMemory(size int, reserved bool) (*os.File, *mapping, error) {
	memory, err := createMemory(memorySize(size), reserved)
	if err != nil {
		return nil, nil, err
	}
	m, err := mapMemory(memory, memorySize(size))
	if err == nil {
		if err = format(m.mem, size); err == nil {
			return memory, m, nil
		}
		m.free()
	}
	memory.Close()
	return nil, nil, err
}

// openMemory returns our view of memory that came from somebody else, and the
// size of its rings.
func openMemory(memory *os.File) (*mapping, int, error) {
	m, err := verifyMemory(memory)
	if err != nil {
		return nil, 0, err
	}
	size, err := sizeOf(m.mem)
	if err != nil {
		m.free()
		return nil, 0, err
	}
	return m, size, nil
}

// createMemory returns nameless memory of the given size whose size is sealed.
func createMemory(size int, reserved bool) (_ *os.File, err error) {
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := memfdCreate("tenon-shm", flags|unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, unix.EINVAL) { // a kernel before 6.3
		fd, err = memfdCreate("tenon-shm", flags)
	}
	if err != nil {
		return nil, fmt.Errorf("shm: create memory: %w", err)
	}
	file := os.NewFile(uintptr(fd), "shm-memory")
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	if reserved {
		err = reserve(file, size)
	} else if err = unix.Ftruncate(fd, int64(size)); err != nil {
		err = fmt.Errorf("shm: %d bytes of shared memory: %w", size, err)
	}
	if err != nil {
		return nil, err
	}
	if _, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		return nil, fmt.Errorf("shm: seal the memory: %w", err)
	}
	return file, nil
}

// reserve sets the pages of the memory aside. Otherwise a full memory would end
// us with SIGBUS later.
func reserve(memory *os.File, size int) error {
	raw, err := memory.SyscallConn()
	if err != nil {
		return err
	}
	var full error
	err = raw.Control(func(fd uintptr) {
		for {
			if full = fallocate(int(fd), 0, 0, int64(size)); !errors.Is(full, unix.EINTR) {
				return
			}
		}
	})
	if full != nil {
		return fmt.Errorf("shm: no room for %d bytes of shared memory (%s): raise the memory limit of this machine or container, or use a smaller shm.Size: %w", size, freeMemory(), full)
	}
	return err
}

// freeMemory says what the machine has left; a container may have less.
func freeMemory() string {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return "free memory unknown"
	}
	return fmt.Sprintf("%d free on this machine", uint64(info.Freeram)*uint64(info.Unit))
}

// verifyMemory maps memory that came from somebody else, if its owner can not
// take it away any more.
func verifyMemory(memory *os.File) (*mapping, error) {
	have, err := unix.FcntlInt(memory.Fd(), unix.F_GET_SEALS, 0)
	if err != nil {
		return nil, fmt.Errorf("shm: %s is not shared memory of a link: pass the two files of shm.Peer in their order: %w", memory.Name(), err)
	}
	if have&seals != seals {
		return nil, fmt.Errorf("shm: the memory is not sealed against a change of its size (seals %#x, want %#x): refusing it, because its owner could crash this process", have, seals)
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(memory.Fd()), &st); err != nil {
		return nil, fmt.Errorf("shm: size of the memory: %w", err)
	}
	if st.Size < minSize || st.Size > int64(memorySize(1<<30)) {
		return nil, fmt.Errorf("shm: a memory of %d bytes is not that of a link", st.Size)
	}
	return mapMemory(memory, int(st.Size))
}

// mapMemory maps the file; the file may be closed afterwards.
func mapMemory(memory *os.File, size int) (*mapping, error) {
	mem, err := unix.Mmap(int(memory.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("shm: map %d bytes: %w", size, err)
	}
	return &mapping{mem: mem, unmap: func() { unix.Munmap(mem) }}, nil
}
