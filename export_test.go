package tenon

import "time"

// StopWatch keeps the watch of a connection that was just made from ever acting:
// only where a handler blocks, or nobody calls, it may be missed.
func StopWatch(c *Conn) { c.reader.watch.ticking.Store(true) }

// Ticking reports whether the watch of the connection ticks.
func Ticking(c *Conn) bool { return c.reader.watch.ticking.Load() }

// Spare is what is left of the credit that the streams of the connection share.
func Spare(c *Conn) int64 { return c.spare.left.Load() }

// Scale is how many times less a long test does where everything is slower.
var Scale = 1

// Brief is what counts as a short run.
func Brief() time.Duration { return brief }
