package shm

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// A Peer is the other end of a link, to be inherited by a child process: its
// two files go into exec.Cmd.ExtraFiles in this order, and the child gives them
// to Attach. Close it after the start, else the hang-up of the child is not
// noticed.
type Peer struct {
	Memory *os.File
	Socket *os.File
}

// Close closes the two files.
func (p *Peer) Close() error { return errors.Join(p.Memory.Close(), p.Socket.Close()) }

// Reserve sets the memory aside that [ReserveLater] has left open. Until it has
// returned nil, a machine whose memory is full may end either side with SIGBUS.
func (p *Peer) Reserve() error {
	info, err := p.Memory.Stat()
	if err != nil {
		return fmt.Errorf("shm: size of the memory: %w", err)
	}
	return reserve(p.Memory, int(info.Size()))
}

// Create makes a link and returns this process's end of it, and the other one.
func Create(opts ...Option) (*Link, *Peer, error) {
	o, err := collect(opts)
	if err != nil {
		return nil, nil, err
	}
	memory, m, err := newMemory(o.size, o.reserves)
	if err != nil {
		return nil, nil, err
	}
	ours, theirs, err := socketPair()
	if err != nil {
		m.free()
		memory.Close()
		return nil, nil, err
	}
	peer := &Peer{Memory: memory, Socket: theirs}
	there, back := rings(m.mem, o.size)
	link, err := newLink(m, there, back, ours, o)
	if err != nil {
		peer.Close()
		return nil, nil, err
	}
	return link, peer, nil
}

// Attach makes the other end of a link of the two files that Create returned
// as Peer, usually inherited from the parent. It owns the files from now on,
// also when it fails. The option Size has no effect.
func Attach(memory, socket *os.File, opts ...Option) (*Link, error) {
	defer memory.Close()
	defer socket.Close()
	o, err := collect(opts)
	if err != nil {
		return nil, err
	}
	m, size, err := openMemory(memory)
	if err != nil {
		return nil, err
	}
	ours, err := pollable(socket)
	if err != nil {
		m.free()
		return nil, err
	}
	there, back := rings(m.mem, size)
	return newLink(m, back, there, ours, o)
}

// socketPair returns our end, ready for the netpoller, and the one to pass on.
func socketPair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("shm: socket pair: %w", err)
	}
	theirs = os.NewFile(uintptr(fds[1]), "shm-socket")
	if err := unix.SetNonblock(fds[0], true); err != nil {
		unix.Close(fds[0])
		theirs.Close()
		return nil, nil, fmt.Errorf("shm: socket pair: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "shm-socket"), theirs, nil
}

// pollable returns a copy of an inherited socket that the netpoller can watch.
func pollable(socket *os.File) (*os.File, error) {
	kind, err := unix.GetsockoptInt(int(socket.Fd()), unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil || kind != unix.AF_UNIX {
		return nil, fmt.Errorf("shm: %s is not a Unix socket: pass the two files of shm.Peer in their order", socket.Name())
	}
	fd, err := unix.FcntlInt(socket.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("shm: copy the socket: %w", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("shm: socket: %w", err)
	}
	return os.NewFile(uintptr(fd), "shm-socket"), nil
}
