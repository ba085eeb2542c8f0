package worker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/internal/proc"
	"github.com/tenon-go/tenon/iolink"
	"github.com/tenon-go/tenon/shm"
)

// A Link is what carries the calls between a worker and its parent. All kinds
// are inherited as open descriptors: no name in any directory is involved.
type Link string

// The kinds of links.
const (
	SharedMemory Link = "shm"  // two rings in sealed memory; a Unix socket pair where the system has none
	UnixSocket   Link = "unix" // a pair of Unix sockets
	Pipe         Link = "pipe" // two pipes
)

// A linkPair is a new link with both its ends.
type linkPair struct {
	ours   tenon.Link
	theirs []*os.File   // what the child inherits
	kind   Link         // what it became
	ready  func() error // completes it, while the child starts
}

// open creates a link.
func (l Link) open(opts ...shm.Option) (linkPair, error) {
	pair := linkPair{kind: l, ready: func() error { return nil }}
	switch l {
	case SharedMemory:
		end, peer, err := shm.Create(append(opts, shm.ReserveLater())...)
		if unavailable(err) {
			return UnixSocket.open()
		}
		if err != nil {
			return pair, err
		}
		pair.ours, pair.theirs, pair.ready = end, []*os.File{peer.Memory, peer.Socket}, peer.Reserve
	case UnixSocket:
		ours, theirs, err := proc.SocketPair()
		if err != nil {
			return pair, err
		}
		pair.ours, pair.theirs = iolink.New(ours), []*os.File{theirs}
	case Pipe:
		childReads, weWrite, err := os.Pipe()
		if err != nil {
			return pair, err
		}
		weRead, childWrites, err := os.Pipe()
		if err != nil {
			childReads.Close()
			weWrite.Close()
			return pair, err
		}
		pair.ours, pair.theirs = iolink.NewReadWriter(weRead, weWrite), []*os.File{childReads, childWrites}
	default:
		return pair, fmt.Errorf("unknown kind of link %q", string(l))
	}
	return pair, nil
}

// unavailable tells a system without sealed memory, or a sandbox that forbids it,
// from one that is out of memory or descriptors.
func unavailable(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission)
}

// attach opens the child's end from the inherited descriptors.
func (l Link) attach(files []*os.File, opts ...shm.Option) (tenon.Link, error) {
	want := map[Link]int{SharedMemory: 2, UnixSocket: 1, Pipe: 2}[l]
	if want == 0 {
		return nil, fmt.Errorf("unknown kind of link %q: parent and worker are built with different versions of tenon", string(l))
	}
	if len(files) != want {
		return nil, fmt.Errorf("link %q came with %d descriptors, not %d", string(l), len(files), want)
	}
	switch l {
	case SharedMemory:
		return shm.Attach(files[0], files[1], opts...)
	case UnixSocket:
		return iolink.New(files[0]), nil
	default:
		return iolink.NewReadWriter(files[0], files[1]), nil
	}
}
