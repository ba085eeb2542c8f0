// Package pump gives the shape of tenon.DirectLink to a plain link, that is to
// anything that can Send, Recv and Close but whose waits nobody can interrupt.
//
// The trick is that nobody who uses the pump ever waits inside the plain link:
// one goroutine lies in its Recv and hands the chunks over, another one, alive
// only while there is something to send, lies in its Send. Waiting for them can
// be broken off at any moment while the link itself is left alone.
//
//	link := pump.New(plain)      // plain has Send, Recv and Close
//	p := link.Reserve(64)
//	link.Commit(append(p, "hello"...))
//	link.Flush()
//
// Guarantees
//
//  1. The plain link sees one Send and one Recv at a time, and its Recv only
//     after the receiver gave the last chunk back.
//  2. At most Limit bytes wait to be sent; then Reserve answers nil.
//  3. What was flushed before Close is handed to the plain link before that is
//     closed, unless the link does not take it within Linger.
//  4. Both goroutines end with Close, provided that the Close of the plain link
//     ends its Send and Recv.
//
// Concurrency is that of tenon.DirectLink. Sender and Receiver are the two
// halves, usable apart: package iolink puts a Sender before sockets, which it
// can try without waiting.
package pump
