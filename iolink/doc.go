// Package iolink makes a link of anything that is an io.ReadWriteCloser: Unix
// sockets, TCP, TLS, pipes, the standard streams of a child, an ssh channel.
//
//	conn, err := net.Dial("unix", path)
//	if err != nil {
//		return err
//	}
//	link := iolink.New(conn) // a tenon.DirectLink
//	defer link.Close()
//
// The stream belongs to the link from New on: nobody else may read it, write to
// it, set its deadlines or close it.
//
// Guarantees
//
//  1. No byte is lost, doubled or reordered, whatever is interrupted.
//  2. Reserve and Commit build in one buffer, and Flush hands many messages
//     over in one write. Flush never waits: what a full socket does not take is
//     written by a goroutine that lives until it is out.
//  3. At most 264 KiB wait to be sent; then Reserve answers nil. An idle link
//     keeps at most 64 KiB of buffers.
//  4. Every wait can be interrupted, also on streams that know no deadlines.
//  5. What was flushed before Close is written, unless the peer does not take
//     it for a second.
//  6. A peer that is gone is an error that wraps tenon.ErrPeerGone and its
//     cause, never a signal. A stream cannot tell a peer that closed from one
//     that died with nothing unread: both are io.EOF.
//
// # Two ways inside
//
// A *net.UnixConn, a *net.TCPConn and an *os.File that the runtime polls (a pipe
// or socket) are read by the receiver itself and written without waiting; an
// interrupt of the receiver is a read deadline in the past. Everything else -
// TLS, which a write deadline would break for good, wrapped connections, files
// that the runtime cannot poll, all streams on Windows - is driven by goroutines of its own,
// two at most, which costs a switch per message and nothing else. Close of such
// a stream has to end a Read and Write under way.
//
// # Memory
//
// What TryRecv and Recv return is borrowed until the receiver's next TryRecv,
// WaitRecv or Recv, also across Close. What Reserve returns is borrowed until
// Commit or the next Reserve.
//
// # Concurrency
//
// That of tenon.DirectLink: Reserve, Commit, Flush, WaitSend and Send belong to
// one goroutine at a time, TryRecv, WaitRecv and Recv to one, InterruptRecv,
// InterruptSend, Kind and Close to anybody.
package iolink
