// Package peer says what a peer of the benchmarks is: a way of calling a
// contract.Directory whose other side, as a rule, is another process. It also
// starts and ends those processes.
package peer

import (
	"context"
	"math"

	"github.com/tenon-go/tenon/benchmarks/contract"
)

// A Peer is one way to call a Directory.
type Peer interface {
	Info() Info
	// Start starts the other side and connects to it. It need not wait until
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
	// Program is the command below servers/ that serves it; empty where both
	// sides live in one process.
	Program string
	// MaxUpload is the largest argument in bytes it is asked to carry.
	MaxUpload int
	// Streams says that it has a Feed.
	Streams bool
	// Unread says that it can be asked to call beside a stream that nobody reads.
	Unread bool
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

// Values of Info.MaxUpload.
const (
	AnySize   = math.MaxInt
	NoUploads = -1
)

// A Client calls the Directory of the other side. Close ends that side too and
// leaves nothing of it behind.
type Client interface {
	contract.Directory
	// Feed is nil where there are no streams. A method that is missing fails
	// with errors.ErrUnsupported.
	Feed() contract.Feed
	// Back is nil where handlers cannot call back.
	Back() contract.Back
	Close() error
}

// A Starter is a Client that can also start a call and leave the waiting for
// later.
type Starter interface {
	StartAdd(ctx context.Context, a, b int64) (wait func() (int64, error))
}

// Joined makes a Client of what a peer has, and of what has to be done at its end.
type Joined struct {
	contract.Directory
	Streams contract.Feed
	Calls   contract.Back
	End     func() error
}

// Feed returns j.Streams.
func (j Joined) Feed() contract.Feed { return j.Streams }

// Back returns j.Calls.
func (j Joined) Back() contract.Back { return j.Calls }

// Close calls End.
func (j Joined) Close() error { return j.End() }
