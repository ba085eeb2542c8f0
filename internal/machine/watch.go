package machine

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Busy is how many CPUs other programs may use before figures are doubted.
const Busy = 0.3

// A Watch watches how busy other programs keep the machine. It knows what all
// processes used and takes off what this one and its ended children did. The
// kernel counts in hundredths of a second: watch for a second at least.
type Watch struct {
	begin     time.Time
	all, ours time.Duration
	ok        bool
}

// StartWatch begins to watch.
func StartWatch() Watch {
	all, ok := allCPU()
	ours, known := treeCPU()
	return Watch{begin: time.Now(), all: all, ours: ours, ok: ok && known}
}

// Others returns how many CPUs others kept busy on average since the start, and
// -1 where the system does not say.
func (w Watch) Others() float64 {
	now := StartWatch()
	if !w.ok || !now.ok {
		return -1
	}
	busy := (now.all - w.all) - (now.ours - w.ours)
	return max(0, busy.Seconds()/now.begin.Sub(w.begin).Seconds())
}

// allCPU is the time all CPUs have worked, by the first line of /proc/stat: user,
// nice, system, idle, iowait, irq, softirq, steal.
func allCPU() (time.Duration, bool) {
	if runtime.GOOS != "linux" {
		return 0, false
	}
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	line, _, _ := strings.Cut(string(data), "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 {
		return 0, false
	}
	ticks := 0
	for i, field := range fields[1:9] {
		n, err := strconv.Atoi(field)
		if err != nil {
			return 0, false
		}
		if idle := i == 3 || i == 4; !idle {
			ticks += n
		}
	}
	return time.Duration(ticks) * (time.Second / 100), true
}
