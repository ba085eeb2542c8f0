// Package proc starts child processes that end with this one, and ends them
// together with everything they started.
//
//	p, err := proc.Start(proc.Config{Path: "/proc/self/exe", Args: []string{"thumbs"}, Files: files})
//	p.Signal(syscall.SIGTERM)
//	<-p.Done()
//	fmt.Println(p.Status())
//
// # Guarantees
//
//  1. A child leads a process group of its own. When it ends, for whatever
//     reason, what is left of the group is killed before the child is reaped:
//     as long as it is not, its number cannot belong to anybody else.
//  2. On Linux the child is killed by the kernel when this process ends in
//     whatever way. The kernel ties that to the thread that started the child,
//     so all starts happen on one thread that lives as long as the program (one
//     more for each niceness that is asked for). A child that calls EndWithPeer has its whole group killed instead.
//  3. A process is signalled by its pidfd where the system has one, and never
//     after it was reaped.
//  4. The child inherits the descriptors it is given and no others that Go
//     opened.
//
// All methods may be called from many goroutines at once. A Process costs one
// goroutine until the child has ended, and no thread where pidfds exist.
package proc
