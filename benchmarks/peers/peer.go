// Package peers holds every way of calling a contract.Directory that the
// benchmarks compare, each in a file of its own: a Start for the calling process
// and a Serve for the other one, which is the same binary run again.
package peers

import (
	"context"
	"math"

	"github.com/tenon-go/tenon/benchmarks/contract"
)

// A Peer is one way to call a Directory.
type Peer interface {
	Info() Info
	// Start starts the other side and connects to it. It does not wait until
	// the other side answers: the first call does.
	Start(ctx context.Context) (Client, error)
}

// A Server is a Peer whose other side is a process of its own.
type Server interface {
	Peer
	// Serve runs in that process until its parent ends it.
	Serve() error
}

// Info says what a peer is.
type Info struct {
	Name  string // short, for flags and results
	About string // what a reader has to know, in half a line
	Kind  Kind
	// Module is the Go module whose version counts; empty for the standard
	// library and for code of our own.
	Module string
	// MaxUpload is the largest argument in bytes it is asked to carry.
	MaxUpload int
}

// Kind says what a peer is in the comparison.
type Kind string

// The kinds of peers.
const (
	Ours      Kind = "ours"
	Other     Kind = "peer"
	Floor     Kind = "floor"     // hand-written for the purpose, no product
	Yardstick Kind = "yardstick" // not between processes
)

// A Client calls the Directory of the other side. Close ends that side too and
// leaves nothing of it behind.
type Client interface {
	contract.Directory
	Close() error
}

const (
	anySize   = math.MaxInt
	noUploads = 0
)

// All returns the peers in the order of the tables.
func All() []Peer {
	return []Peer{
		tenonSharedMemory,
		tenonSleeping,
		tenonUnix,
		tenonPipe,
		tenonTCP{},
		tenonInproc{},
		bareFrames{},
		netRPC{},
		drpcPool{},
		ttrpcSocket{},
		natsRequest{},
		goPlugin{},
		grpcGo{},
		connectHTTP1,
		connectHTTP2,
		channels{},
	}
}

// client joins a Directory and what has to be closed after it.
type client struct {
	contract.Directory
	close func() error
}

func (c client) Close() error { return c.close() }
