// Package worker runs parts of an application in child processes: a crash, an
// out-of-memory kill or a hostile input then costs one worker, not the
// application.
//
//	func main() {
//		// In the worker this serves and exits; elsewhere it returns at once.
//		worker.Main("thumbs", func(srv *tenon.Server) error {
//			imaging.RegisterImaging(srv, resizer{})
//			return nil
//		})
//
//		w, err := worker.Start(ctx, worker.Self("thumbs"), worker.MemoryLimit(256<<20))
//		...
//		defer w.Close()
//		small, err := imaging.NewImagingClient(w).Resize(ctx, original, 200)
//	}
//
// A worker can also be another program that calls [Serve]; it is started with
// [Program].
//
// # Guarantees
//
//  1. Nothing is left behind. When the parent ends, in whatever way, the hang-up
//     of a socket has the worker killed together with its whole process group:
//     by the kernel on Linux, so also when it is stopped or has no core to run
//     on. When a worker ends, what it started is killed before it is reaped.
//     Memory, sockets and pipes are passed on as descriptors; there is no name
//     in any directory.
//  2. Nothing is signalled by a number that may belong to somebody else: see
//     package internal/proc.
//  3. A worker inherits descriptors 0, 1, 2, its control socket and its link.
//     They are closed on exec, and the variables that mark a worker are gone,
//     before main and the init functions of packages that import this one.
//  4. Whatever a worker prints is read at once, so it is never held up, and is
//     forwarded line by line. See [Output] for what happens when nobody takes
//     it.
//  5. When a worker dies, each of its calls fails within milliseconds with an
//     error that says whether the call may have run and wraps an *[ExitError]:
//     name, pid, exit status or signal, reason, last lines of standard error.
//     The calls wait 50 ms at most for the process's status; where the machine is
//     too busy to have it by then, the error names the worker only.
//  6. The parent decides the order of ending: an interrupt from the terminal
//     reaches the parent alone; see [Worker.Stop] for what it does then.
//
// A process that a worker starts and that leaves the worker's process group
// (setsid) is its own.
//
// # Concurrency
//
// All functions and methods may be called from many goroutines at once. A
// running worker costs its parent five goroutines and four descriptors (its
// pidfd, its output and its control socket) beside those of its connection, and
// no thread.
//
// # Systems
//
// Linux has all of it. On darwin the link is a Unix socket pair, [MemoryLimit]
// is refused, and a worker ends itself with its group when its parent is gone.
// Elsewhere Start answers errors.ErrUnsupported, and Main returns at once.
//
// # Start
//
// A worker has answered its first call about 1.5 times as long after its start as
// the same program needs to write a byte (BenchmarkStartToFirstAnswer beside
// BenchmarkProgram). Most of that is the program's own beginning. Whoever starts
// workers often builds with CGO_ENABLED=0 where that is possible: without the C
// library to load, a program begins a quarter sooner.
package worker
