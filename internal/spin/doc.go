// Package spin polls for something that another processor is about to do, for a
// bounded time and only while that pays.
//
// A [Poller] belongs to one waiting side:
//
//	p.Begin()
//	for !ready() {
//		if !p.Again() {
//			sleepUntilReady()
//			break
//		}
//	}
//	p.End()
//
// Again pauses for some tens of nanoseconds. About every microsecond and a half
// it also lets other goroutines (runtime.Gosched) and other processes
// (sched_yield) run: a peer that was just woken is often put on the very
// processor that polls.
package spin
