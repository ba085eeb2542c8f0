// Package inproc joins two goroutines of one process by a link: same calls, same
// rules as between processes, and no copy beyond the one that builds a message.
//
//	a, b := inproc.Pair()
//	go serve(b)
//	a.Send([]byte("hello"))
//
// The receiver borrows the very memory in which the sender built the message.
// Beside the bytes Go values travel, for what need not be encoded at all.
//
// Guarantees
//
//  1. Bytes arrive in order and without loss, values likewise; no order is
//     promised between the two.
//  2. Each direction holds at most Capacity bytes (1 MiB) and ValueCapacity
//     values; then the sender waits.
//  3. What was flushed before Close is delivered, then io.EOF. A sender whose
//     peer has closed gets an error that wraps tenon.ErrPeerGone.
//  4. No goroutine, descriptor or timer belongs to a link. A pair that nobody
//     holds any more is garbage, closed or not.
//
// # Memory
//
// What TryRecv and Recv return is borrowed until the receiver's next TryRecv,
// WaitRecv or Recv, also across Close. What Reserve returns is borrowed until
// Commit or the next Reserve. A value belongs to whoever received it.
//
// # Concurrency
//
// That of tenon.DirectLink: Reserve, Commit, Flush, WaitSend and Send belong to
// one goroutine at a time, TryRecv, WaitRecv and Recv to one, everything else to
// anybody.
package inproc
