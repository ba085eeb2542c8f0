package shm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// maxAddress is what the kernel takes as the address of a Unix socket.
const maxAddress = 107

// lockTime is how long to wait for another process that is just binding a
// socket in the same directory.
const lockTime = 2 * time.Second

func isAbstract(address string) bool { return strings.HasPrefix(address, "@") }

func checkAddress(address string) error {
	switch {
	case address == "" || address == "@":
		return errors.New("no address: want a path or @name")
	case isAbstract(address) && len(address) > maxAddress:
		return fmt.Errorf("the name has %d bytes, the maximum is %d", len(address), maxAddress)
	}
	return nil
}

// short returns a name for path that the kernel takes. A path above its limit
// is named through the open directory that it lies in.
func short(path string) (name string, release func(), err error) {
	if len(path) <= maxAddress {
		return path, func() {}, nil
	}
	dir, err := os.OpenFile(filepath.Dir(path), unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return "", nil, err
	}
	name = "/proc/self/fd/" + strconv.Itoa(int(dir.Fd())) + "/" + filepath.Base(path)
	if _, err := os.Stat(filepath.Dir(name)); err != nil || len(name) > maxAddress {
		dir.Close()
		return "", nil, fmt.Errorf("the path has %d bytes, the maximum is %d: use a shorter path or a name like @name", len(path), maxAddress)
	}
	return name, func() { dir.Close() }, nil
}

// dial connects. While the listener's queue is full it tries again.
func dial(ctx context.Context, address string) (*net.UnixConn, error) {
	if err := checkAddress(address); err != nil {
		return nil, err
	}
	name := address
	if !isAbstract(address) {
		var release func()
		var err error
		if name, release, err = short(address); err != nil {
			return nil, err
		}
		defer release()
	}
	var d net.Dialer
	for rest := time.Millisecond; ; rest = min(2*rest, 100*time.Millisecond) {
		conn, err := d.DialContext(ctx, "unix", name)
		if err == nil {
			return conn.(*net.UnixConn), nil
		}
		if !errors.Is(err, unix.EAGAIN) {
			return nil, reason(err)
		}
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// reason takes the name off an error of net: it may be one of /proc.
func reason(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// listen binds a socket. file is nil where there is none.
func listen(address string) (_ *net.UnixListener, file *socketFile, err error) {
	if err := checkAddress(address); err != nil {
		return nil, nil, err
	}
	if isAbstract(address) {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: address})
		return l, nil, reason(err)
	}
	// Two that start at once must not take each other's fresh socket for a
	// stale one, so the directory is locked meanwhile.
	unlock, err := lock(filepath.Dir(address))
	if err != nil {
		return nil, nil, err
	}
	defer unlock()
	name, release, err := short(address)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	l, err := bind(name)
	if errors.Is(err, unix.EADDRINUSE) && stale(name) {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, nil, err
		}
		l, err = bind(name)
	}
	if err != nil {
		return nil, nil, err
	}
	if file, err = remember(address); err != nil {
		l.Close()
		os.Remove(name)
		return nil, nil, err
	}
	return l, file, nil
}

func bind(name string) (*net.UnixListener, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: name})
	if err != nil {
		return nil, reason(err)
	}
	l.SetUnlinkOnClose(false) // the name may be somebody else's by then
	return l, nil
}

// stale reports whether a socket lies at name to which nobody listens.
func stale(name string) bool {
	info, err := os.Lstat(name)
	if err != nil || info.Mode().Type() != os.ModeSocket {
		return false
	}
	conn, err := net.Dial("unix", name)
	if err == nil {
		conn.Close()
	}
	return errors.Is(err, unix.ECONNREFUSED)
}

// lock keeps other Listens out of a directory without leaving a file there.
func lock(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockTime); ; time.Sleep(time.Millisecond) {
		err := unix.Flock(int(d.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { d.Close() }, nil
		}
		if time.Now().After(end) || !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			d.Close()
			return nil, fmt.Errorf("lock the directory %s: %w", dir, err)
		}
	}
}

// A socketFile is a bound socket's name in a directory.
type socketFile struct {
	path string
	info os.FileInfo
}

func remember(path string) (*socketFile, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	return &socketFile{path, info}, nil
}

// remove removes the file unless somebody has replaced it.
func (f *socketFile) remove() error {
	now, err := os.Lstat(f.path)
	if err != nil || !os.SameFile(now, f.info) {
		return nil
	}
	return os.Remove(f.path)
}
