package proc

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

var pageSize = int64(os.Getpagesize())

// HasMeters tells whether Meter works here.
const HasMeters = true

// A Meter reads the resident memory of one process. The file it holds belongs
// to that process, not to its number: after its end Resident fails.
type Meter struct {
	fd  int
	buf [128]byte
}

// Meter opens the process's memory figures. Close it.
func (p *Process) Meter() (*Meter, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return nil, os.ErrProcessDone
	}
	path := "/proc/" + strconv.Itoa(p.pid) + "/statm"
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return &Meter{fd: fd}, nil
}

// Resident returns the resident memory in bytes. It is for one goroutine at a
// time and allocates nothing.
func (m *Meter) Resident() (int64, error) {
	n, err := syscall.Pread(m.fd, m.buf[:], 0)
	if err != nil {
		return 0, err
	}
	_, rest, _ := bytes.Cut(m.buf[:n], []byte(" "))
	var pages int64
	for _, c := range rest {
		if c < '0' || c > '9' {
			break
		}
		pages = pages*10 + int64(c-'0')
	}
	return pages * pageSize, nil
}

// Close ends the measuring.
func (m *Meter) Close() error { return syscall.Close(m.fd) }
