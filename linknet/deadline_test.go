package linknet

import (
	"testing"
	"time"
)

// A timer that has fired cannot be stopped: its function may run after the
// deadline was replaced.
func TestATimerThatComesLateDoesNotEndTheNextDeadline(t *testing.T) {
	interrupts := 0
	d := deadline{interrupt: func() { interrupts++ }}
	defer d.stop()
	for _, next := range []time.Time{{}, time.Now().Add(time.Hour)} {
		d.set(next)
		d.ring()
		if d.passed.Load() || interrupts > 0 {
			t.Fatalf("deadline %v: the timer of an earlier one took effect", next)
		}
	}
}
