// Package pool makes many callers one: workers, connections to elsewhere, or
// both. A generated client calls through a pool as it does through a connection.
//
//	p, err := pool.New(ctx, 4, func(ctx context.Context) (pool.Member, error) {
//		return worker.Start(ctx, worker.Self("thumbs"), worker.MemoryLimit(256<<20))
//	}, pool.Concurrency(1)) // a crash then costs one call
//	...
//	defer p.Close()
//	img := imaging.NewImagingClient(p)
//	small, err := img.Resize(ctx, original, 200)
//
// # Guarantees
//
//  1. A call goes to the member with the fewest calls in flight; ties rotate.
//  2. A member that ended is replaced at once. Only when one after the other
//     cannot be started, or ends within a second without having answered a call,
//     there is a pause before the next, which doubles from 50 ms to 5 s and
//     varies by chance. Calls wait with their contexts while no member is there.
//     [OnStart], [OnExit] and [OnStartFailure] let one watch.
//     A member that lets a call's deadline pass before it has ever answered, such
//     as a process that is stopped, is asked for a sign of life and gets no calls
//     until it gives one.
//  3. A call whose error says that its handler cannot have run, because the
//     member was gone or going, is sent again, to another member where there is
//     one, until its context ends. Every other error is returned as it is.
//  4. With [Concurrency] a member never has more than so many of the pool's
//     calls at once. A call occupies its place until its handler has ended, also
//     when its caller gave up before. Calls that find every member busy wait in
//     line, first come first served, as many as [Queue] allows; one more fails at
//     once with [ErrQueueFull]. A caller that gives up leaves the line, and no
//     place is lost by it. A call with streams is one call: it stays with its
//     member and keeps its place until its handler has ended, also when the loop
//     over it was left. Its error reaches the loop; it is sent again only while
//     nothing of its input or its result has been taken. A one-way call keeps its
//     place until it was handled.
//  5. Calls with the same key ([WithKey]) go to the same member while it lives.
//     Its replacement inherits its keys; until it is there they go to other
//     members. [Pool.Resize] moves the keys of the places that come or go, no
//     others.
//  6. A call from inside a call of the same pool, that is from a handler or a
//     function of this process that a member called back, or from the handler of a
//     [Local] member, cannot wait for itself: where every member is busy it runs on
//     the member that called back, whose own call is waiting for it, to any depth.
//     It must be made with the handler's or the function's context. Only members
//     that are connections or have one (Conn) and local ones are recognized, and
//     only when the call back comes straight from them; other nested calls wait in
//     line like all others. So does a call in the body of a loop over a stream of
//     the pool, or in an input: it needs a place beside that of its stream, which a
//     pool of one member with Concurrency(1) never has. Give it a deadline.
//  7. Members that have to leave, because the pool was closed or made smaller,
//     finish their calls first, streams too, within [Grace] or the context of
//     [Pool.Stop]. Then those are broken off, with an error that says so.
//  8. After [Pool.Close] no member, goroutine or waiting call is left.
//
// # Members
//
// Workers are members, and so are connections to elsewhere (*tenon.Conn: the pool
// connects again by calling start), clients that connect again by themselves
// (*tenon.Client), and servers within this process ([Local]), in any mixture:
// what start returns may differ from call to call.
//
// # Concurrency and cost
//
// All methods may be called from many goroutines at once. A call through a pool
// allocates nothing and takes no lock while some member is free.
//
// More workers help calls that keep a core busy, up to the number of cores. Tiny
// calls they do not help: those of many callers travel together to one worker, and
// on their own to several (BenchmarkWorkers, two cores, sixteen callers: 180,000
// calls a second through one worker, 40,000 through four).
package pool
