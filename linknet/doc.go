// Package linknet makes a net.Conn of any tenon.Link, and a net.Listener of
// wherever links come from, so that what is written for sockets - net/http,
// gRPC, net/rpc - runs over shared memory unchanged.
//
//	// the serving process
//	http.Serve(linknet.Listen(link), handler)
//
//	// the other one
//	conn := linknet.NewConn(link)
//
// Listen serves links that are there already, such as those a child inherited;
// NewListener serves those that a source accepts one after the other, such as
// shm's listener. It is the reverse of package iolink, which makes a link of a
// net.Conn.
//
// One link is one connection. HTTP/1 carries one request at a time over it;
// gRPC, and net/http with UnencryptedHTTP2 in its Protocols, carry as many as
// one likes, so that a parent and its child need no second link.
//
// What is gained over a Unix socket is the copying of large bodies, not the
// price of a small request: there the scheduling of net/http and gRPC costs
// more than any transport. For small calls tenon's own are what to use.
//
// # Guarantees
//
//  1. No byte is lost, doubled or reordered, whatever is interrupted: after a
//     deadline the connection goes on where it was. Write says how many bytes
//     went out before the deadline.
//  2. Deadlines are those of package net: one that has passed fails Read and
//     Write at once, also where input is waiting; setting one takes effect on
//     the Read or Write under way. The error is os.ErrDeadlineExceeded, and its
//     Timeout is true.
//  3. What Write has returned for arrives, also if Close follows, as far as
//     the link's own Close promises that.
//  4. Close ends every Read and Write of its side with net.ErrClosed. On the
//     other side Read ends with io.EOF, after everything that was sent is read,
//     and Write with an error.
//  5. A peer that died is no orderly end: Read answers tenon.ErrPeerGone, so
//     that a truncated answer does not pass for a complete one.
//  6. Except for io.EOF all errors are *net.OpError, with the kind of the link
//     as their network.
//  7. Read and Write do not allocate while they succeed. A Conn adds no
//     goroutine and no buffer to those of its link, and an idle one uses no
//     processor: Read does not poll.
//  8. Closing a Listener ends Accept with net.ErrClosed and closes what nobody
//     has accepted. Connections that were accepted live on.
//
// # Concurrency
//
// All methods of Conn and Listener may be called from any goroutine. A Write is
// never torn apart by another one. Read and Write do not wait for each other.
//
// # Memory
//
// Read and Write copy: both leave p to the caller. Between two Reads the Conn
// may hold the slice that the link lent it last; Close gives it back.
//
// There is no CloseWrite: a link ends in both directions at once.
package linknet
