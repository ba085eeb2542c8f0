package tenon

import "github.com/tenon-go/tenon/internal/linkerr"

// Errors of links. They are the same values in every package of tenon.
var (
	// ErrInterrupted is returned by a wait that InterruptRecv or InterruptSend
	// broke off. Nothing is lost and the link is intact: wait again.
	ErrInterrupted = linkerr.ErrInterrupted

	// ErrFull is returned by Commit when the link has no room for the bytes at
	// the moment. Nothing was taken: WaitSend, then commit again.
	ErrFull = linkerr.ErrFull

	// ErrTooLarge is returned when one piece is larger than the link can ever
	// take at once (see MaxReserve). Waiting does not help: split it. errors.Is
	// finds it, too, in the error of a call whose message is larger than the peer
	// accepts.
	ErrTooLarge = linkerr.ErrTooLarge

	// ErrPeerGone is returned when the other side ended without closing: its
	// process died or the channel broke. Bytes published before are delivered
	// first.
	ErrPeerGone = linkerr.ErrPeerGone
)

// A Link carries bytes in order and without loss between two parts of one
// application. It is all that an own channel has to implement. Chunk borders
// carry no meaning: what was sent in three pieces may arrive in one or in ten.
//
// One goroutine sends and one receives at a time; Close may come from any.
// A link that ends answers io.EOF (the other side closed it), [ErrPeerGone]
// (it died) or net.ErrClosed (this side closed it), after it has delivered all
// that was sent before. Test yours with package linktest.
type Link interface {
	// Send sends all of p and waits for space when it must. Afterwards p is
	// the caller's again.
	Send(p []byte) error

	// Recv waits for at least one byte. The slice is the caller's to read
	// until the receiver's next Recv, also across Close.
	Recv() ([]byte, error)

	// Close ends every wait on this side and, once what was sent is read, on
	// the other. It may be called from any goroutine and repeatedly, and never
	// takes memory away from under a slice that is still lent out.
	Close() error
}

// A DirectLink is a Link that owns memory which both sides see, so that a
// message is built where it travels. Its rule: moving never waits, and waiting
// never moves.
//
// Reserve, Commit, Flush, WaitSend and Send belong to the one sender at a
// time; TryRecv, WaitRecv and Recv to the one receiver; the interrupts and
// Close to anybody.
type DirectLink interface {
	Link

	// MaxReserve returns the largest n that Reserve can ever give.
	MaxReserve() int

	// Reserve returns memory to append to: length 0, capacity n, or nil when
	// there is no room at the moment. At most one reservation is open; it ends
	// with Commit, or with the next Reserve (nothing was sent then).
	Reserve(n int) []byte

	// Commit takes what was appended to the reserved slice. When append moved
	// p out of the link's memory it is copied back, so a p larger than was
	// reserved is fine up to MaxReserve. Nothing is visible to the peer yet,
	// and p must not be written to afterwards. ErrFull takes nothing.
	Commit(p []byte) error

	// Flush publishes everything committed and wakes the other side, at most
	// once and only if it sleeps. It does not wait either: what a channel does
	// not take at once, the link sends after it.
	Flush() error

	// TryRecv returns the next bytes, or nil, nil when there are none. The
	// slice is lent like that of Recv; a TryRecv that returns nil gives it
	// back too.
	TryRecv() ([]byte, error)

	// WaitRecv waits until TryRecv has something, an error included. It may
	// return early: ask TryRecv. It gives a lent slice back.
	WaitRecv() error

	// WaitSend publishes what is committed (a link full of unpublished bytes
	// would wait for ever) and waits until Reserve(n) fits. n above MaxReserve
	// answers ErrTooLarge.
	WaitSend(n int) error

	// InterruptRecv makes the receiver's current wait, or its next one, return
	// ErrInterrupted; InterruptSend the sender's. They concern WaitRecv and
	// WaitSend: Send, which could not say how much it had sent, is not broken
	// off. Several interrupts that no wait has answered count as one. Any
	// goroutine may call them.
	InterruptRecv()
	InterruptSend()
}

// poller is the extra of a DirectLink whose receiver may look for input
// without being the goroutine that sleeps in WaitRecv. Shared memory has it.
//
// One goroutine, the base reader, lies in WaitRecv. Another one may take the
// receiver's place: it calls Disarm, so that the peer's Flush wakes nobody, and
// TryRecv as often as it likes; when it has left it calls Arm, so that the
// peer's next Flush wakes the base reader again. Arm answers false when input is
// already there and then has armed nothing: somebody has to read it. Arm may run
// while the next one is receiving already.
//
// Cold says that the last Flush had to wake a peer that had been left alone for a
// while: whoever waits for its answer does better to sleep than to poll.
type poller interface {
	DirectLink
	Arm() bool
	Disarm()
	Cold() bool
}
