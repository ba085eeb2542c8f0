// Package bytequeue is a bounded FIFO of bytes that is built in place at its
// tail and read in place at its head. It is the memory of every link that has
// no shared memory: the sender's half of package pump and the lanes of inproc.
//
// A Queue knows nothing of goroutines. Its owner holds a lock around every
// method; the bytes themselves are written (between Reserve and Commit) and
// read (between Peek and Discard) without it, because those two regions never
// overlap.
//
// Guarantees
//
//  1. Bytes never move after Commit: what Peek returns is the memory that
//     Reserve gave out.
//  2. Memory is bounded by the number of blocks given to Init, whatever the
//     sizes of the pieces.
//  3. A queue that is read empty keeps at most one block of SmallBlock bytes.
package bytequeue
