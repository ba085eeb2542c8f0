package measure

import (
	"time"

	"github.com/tenon-go/tenon/internal/machine"
)

// A Work is the CPU time that this process and those that it has started use from
// StartWork on.
type Work struct {
	children []int
	before   time.Duration
	ok       bool
}

// StartWork begins to count. Processes that are started or end later do not count.
func StartWork() Work {
	var w Work
	w.children, w.ok = children()
	w.before = w.total()
	return w
}

// Done is what was used so far; ok is false where the system does not say.
func (w Work) Done() (d time.Duration, ok bool) { return w.total() - w.before, w.ok }

func (w Work) total() time.Duration {
	total := machine.CPU()
	for _, pid := range w.children {
		total += processCPU(pid)
	}
	return total
}
