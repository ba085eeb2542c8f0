// Package linktest is for those who write a link of their own, and for those who
// test what lies above one.
//
// A link is anything that carries bytes: three methods, and every call, stream
// and event of tenon runs over it. README.md beside this file holds a complete
// one in forty lines. Whether yours keeps the rules is one test:
//
//	func TestLink(t *testing.T) {
//		linktest.Run(t, func(t *testing.T) (a, b tenon.Link) {
//			return mylink.Pair()
//		})
//	}
//
// # The rules of a Link
//
//  1. Bytes arrive in order, without loss, once. Borders carry no meaning: a
//     receiver may get in ten slices what was sent in one, or the reverse.
//  2. What was sent arrives without anything else having to be sent behind it.
//  3. Send keeps nothing of p after it has returned.
//  4. Recv returns at least one byte, or an error. Its slice stays untouched
//     until the receiver's next Recv, also across Close.
//  5. A link holds a bounded amount. When it is full, Send waits.
//  6. Sending does not wait for the same side's receiving, nor the reverse: both
//     directions run at once.
//  7. Close ends every wait of its own side at once, with net.ErrClosed, and
//     those of the other side once it has received what was sent: Recv with
//     io.EOF, and again every time it is asked. A Send on the other side fails.
//  8. Close may be called from any goroutine and as often as one likes.
//  9. Afterwards no goroutine, descriptor or process of the link is left.
//
// # The rules of a DirectLink
//
// A DirectLink lets messages be built where they travel. Only links with memory
// that both sides see gain by it; tenon gives the shape to all others by
// itself.
//
//  1. Moving never waits: Reserve, Commit, Flush and TryRecv return at once.
//     Waiting never moves: WaitRecv and WaitSend. WaitRecv and a TryRecv that
//     returns nil give the last slice back.
//  2. Reserve(n) has length 0 and capacity n, or is nil. Commit takes the slice
//     also when append has moved it elsewhere, up to MaxReserve. A reservation
//     that is not committed has never been.
//  3. ErrFull and ErrTooLarge take nothing.
//  4. Nothing is visible before Flush, or before WaitSend, which publishes so
//     that a link full of unpublished bytes cannot wait for ever.
//  5. An interrupt ends this wait, or else the next one, with ErrInterrupted.
//     One that comes before another was answered may be one with it. Methods
//     that do not wait take no notice of it.
//  6. What Reserve and TryRecv gave out stays memory across Close.
//
// # Decorators
//
// Cut, Delay, Fail and Trace wrap any link, in order to see whether what lies
// above still works when chunks fall to pieces, everything is late, or the link
// breaks in the middle of a message. CheckLeaks is the leak check of this suite
// for tests of your own.
//
// # Concurrency
//
// Run and CheckLeaks belong into tests that do not run in parallel to others.
// Decorated links may be used exactly like those they wrap.
package linktest
