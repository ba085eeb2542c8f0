package ring

// Drain calls f for the messages that are there, without waiting, until f
// returns false, none is left, or the limits of the option DrainLimit are
// reached. It returns how many were handed to f; each of them is read. The
// slice is f's until it returns. After a message the end of the ring is
// reported by the next call.
func (r *Reader) Drain(f func(p []byte) bool) (n int, err error) {
	bytes := 0
	for n < r.maxRecords && bytes < r.maxBytes {
		p, err := r.TryRead()
		if p == nil {
			if n > 0 {
				err = nil
			}
			return n, err
		}
		n++
		bytes += len(p)
		if !f(p) {
			break
		}
	}
	return n, nil
}
