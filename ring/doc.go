// Package ring carries messages from one writer to one reader through a piece
// of memory that both see: two goroutines, or two processes that map it.
//
//	mem, err := ring.Alloc(1 << 20) // or Format any shared memory
//	w, err := ring.NewWriter(mem)   // one side
//	r, err := ring.NewReader(mem)   // the other side
//
//	err = w.Write(ctx, []byte("hello")) // copied into the ring, waits for room
//	err = w.Flush()                     // now the reader sees it
//
//	p, err := r.Read(ctx)               // read where it lies, no copy
//
// Like a bufio.Writer, a Writer shows nothing until Flush: publishing a batch
// costs as much as publishing one message. [Writer.Batch] flushes at its end,
// and a Writer that must wait for room flushes first.
//
// # Guarantees
//
//  1. Messages arrive whole, once, and in the order in which they were written.
//  2. A writer never overwrites what is not read: a full ring makes it wait.
//  3. Reading and writing allocate nothing.
//  4. Whatever stands in the shared memory, a side answers [ErrCorrupt] at
//     worst. It never panics, never touches memory outside, and every wait can
//     be broken off.
//  5. No wake-up is lost: a side that goes to sleep has announced it and looked
//     again before.
//
// # Concurrency
//
// One goroutine writes and one reads at a time. Interrupt, End and Close may be
// called by any goroutine, and so may the Arm, Disarm and Wait of a Reader.
//
// # Borrowed memory
//
// The slice of Read and TryRead belongs to the reader until its next Read,
// TryRead or Drain, and the slice of Drain until the function returns. The slice of Reserve
// belongs to the writer until Commit or the next Reserve. Whoever unmaps the
// memory must know that neither is in use.
//
// The layout is described in RING.md, precisely enough to implement a side in
// another language.
package ring
