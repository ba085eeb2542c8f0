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
// it also lets other processes run (sched_yield), and now and then other
// goroutines (runtime.Gosched): a peer that was just woken is often put on the
// very processor that polls. As long as it stays there every wait begins with a
// yield. Goroutines that the poller itself makes ready have to wait for such a
// turn while all processors are busy: whoever starts some calls Gosched for them.
package spin
