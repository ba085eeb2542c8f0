// Package tenon joins the parts of one application that run in parallel -
// goroutines, worker processes, programs in other languages - by typed calls.
//
// The contract is a Go interface. `tenon gen` writes a client and a registration
// for it; the client implements the very interface that the server implements:
//
//	//go:generate go tool tenon gen
//	//tenon:service
//	type Imaging interface {
//		Resize(ctx context.Context, img []byte, width int) ([]byte, error)
//	}
//
//	srv := tenon.NewServer()                       // on one side of a link
//	imaging.RegisterImaging(srv, resizer{})
//	err := srv.ServeLink(ctx, link)
//
//	conn := tenon.NewConn(ctx, link, nil)          // on the other
//	var img imaging.Imaging = imaging.NewImagingClient(conn)
//	small, err := img.Resize(ctx, original, 200)
//
// Parameters and results that are iter.Seq2[T, error] are streams, and a parameter
// may be a function; [ConnFrom] in a handler calls back. [WithProgress] hears how
// far a call has come.
//
// Most programs do not make links themselves: package worker starts processes
// and connects to them, package pool makes many of them one caller. The links
// are in packages shm (shared memory), iolink (pipes, sockets, any stream) and
// inproc; an own one is a type with three methods, see [Link].
//
// # Guarantees
//
//  1. Every call is settled exactly once: with its result, or with one error.
//  2. A call returns when its context ends, whatever the other side and the link
//     do, and the connection stays usable. The handler's context ends too, at once,
//     whatever the caller is busy with. (The caller's own work, encoding its
//     arguments, decoding its results, the body of a loop and an input that does
//     not watch its context, is not broken off.)
//  3. [Error.SafeToRetry] is true only if the handler cannot have run.
//  4. When the connection ends, every open call fails and the context of every
//     running handler ends.
//  5. A panic, a nil dereference or a runtime.Goexit in a handler, in a marshaler
//     of its results or in the error it returns is an error of that call alone.
//     Its stack goes to the log of the serving side, never to the peer.
//  6. Both sides compare their contracts when they connect. A method that is
//     missing or has another shape fails before a value is sent.
//  7. A large message travels in fragments between which small ones pass. A
//     message above the peer's limit fails before anything is sent, and the
//     error names the limit.
//  8. Whatever bytes the peer sends, the worst they do is to end the connection
//     with an error: they cause no panic, no access outside, and no allocation
//     beyond the limits. Decoded values take at most 64 times the length of
//     their message; see [WithMaxMessage].
//  9. A stream delivers its items in order, each once, and then ends: in order, or
//     with one error. break, an error, a panic, the end of the context and the end
//     of the connection end both sides. What a receiver has not taken is bounded by
//     its window, see [WithStreamWindow]; then the sender waits, and nobody else.
//     An abandoned stream leaves nothing behind; one of several results of a call that
//     was never begun holds the call until its context ends or nobody has it.
//  10. What waits can be ended: Close and the contexts end every wait, and leave
//     no goroutine of tenon behind.
//
// # Concurrency
//
// [Conn], [Server] and the generated clients may be used from any goroutine.
// Handlers run concurrently; one that waits holds up no other. The short ones of
// a method that has proved short may run on the goroutine that reads the
// connection, which cannot be told from outside.
//
// # Memory
//
// Arguments of a call are read until it returns and not kept. Results belong to
// the caller, arguments of a handler to the handler; decoded strings and byte
// slices of one message may share one block of memory, but nobody else's.
package tenon
