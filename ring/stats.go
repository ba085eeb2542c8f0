package ring

// counters are the plain numbers of one side, written by its goroutine only.
type counters struct {
	records, bytes, publications, wakes, waits uint64
}

// Stats tells what one side has done so far.
type Stats struct {
	Records      uint64 // messages written, or handed out
	Bytes        uint64 // their lengths
	Publications uint64 // how often the other side was shown progress
	Wakes        uint64 // how often the other side had to be woken
	Waits        uint64 // how often a Writer found no room and waited
	Sleeps       uint64 // how often this side went to sleep
}

// Stats returns the Reader's numbers. The reading goroutine calls it.
func (r *Reader) Stats() Stats { return r.count.stats(r.sleeps.Load()) }

// Stats returns the Writer's numbers. The writing goroutine calls it.
func (w *Writer) Stats() Stats { return w.count.stats(w.sleeps.Load()) }

func (c *counters) stats(sleeps uint64) Stats {
	return Stats{
		Records: c.records, Bytes: c.bytes, Publications: c.publications,
		Wakes: c.wakes, Waits: c.waits, Sleeps: sleeps,
	}
}
