// Package shm is a link through shared memory between two processes of one
// Linux machine, or two goroutines: two rings in one sealed, nameless piece of
// memory, and a Unix socket whose hang-up tells that the other side is gone.
//
// The parent creates both ends and lets a child inherit the second one:
//
//	link, peer, err := shm.Create()
//	cmd.ExtraFiles = []*os.File{peer.Memory, peer.Socket} // descriptors 3 and 4
//	err = cmd.Start()
//	peer.Close() // the child has its own now
//
//	// in the child
//	link, err := shm.Attach(os.NewFile(3, "memory"), os.NewFile(4, "socket"))
//
// Strangers meet at a name, or at a path:
//
//	l, err := shm.Listen("@name")
//	link, err := l.Accept(ctx)
//
//	link, err := shm.Dial(ctx, "@name") // in the other process
//
// A [Link] is a tenon.DirectLink.
//
// # Guarantees
//
//  1. Nothing is left behind, whoever is killed: the memory has no name and goes
//     with the last process that holds it. The one exception is the socket file
//     of a Listener at a path whose process is killed; the next Listen there
//     replaces it. A name with @ has no file.
//  2. The memory cannot shrink under us: it is sealed, its room is reserved
//     before it is used, and Attach checks seals, size and format.
//  3. Whatever the peer writes into the memory, this side gets ring.ErrCorrupt
//     at worst.
//  4. When the peer dies, every wait of this side ends: what it had published
//     is delivered first, then tenon.ErrPeerGone. When it closed, io.EOF.
//  5. Close takes no memory away from under a slice that is lent out.
//  6. An idle link costs no thread: a receiver to whom nothing has come for a
//     second waits in the netpoller. At most 16, or twice GOMAXPROCS, receivers
//     of a process sleep in system calls of their own, which wakes them faster.
//  7. Only processes of the same user are let in by Listen, and spoken to by Dial,
//     unless AllowUID says otherwise.
//
// # Concurrency
//
// One goroutine sends and one receives at a time; the interrupts and Close may
// be called by any goroutine, as may everything of a Listener. One goroutine may sleep in WaitRecv while another
// one receives between Disarm and Arm.
//
// # Borrowed memory
//
// What Recv and TryRecv return is yours to read until the next Recv or
// TryRecv, also across Close; what Reserve returns is yours to write until
// Commit. After Close the memory is unmapped as soon as the last such slice is
// given back by a further call, and what was committed is flushed or given up
// by one; a receiver that has used Disarm gives up with the TryRecv that answers
// the end. If no further call comes, it is unmapped when the Link is
// unreachable: keep the Link as long as you use the slice.
//
// On other systems than Linux everything answers an error that wraps
// errors.ErrUnsupported: use package iolink there.
package shm
