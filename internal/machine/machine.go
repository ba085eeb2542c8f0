// Package machine describes this machine and watches how busy it is, for the
// programs that measure: a figure says little without either.
package machine

import (
	"os"
	"runtime"
	"strings"
	"time"
)

// A Machine is where something was measured.
type Machine struct {
	System     string  `json:"system"`
	CPU        string  `json:"cpu"`
	CPUs       int     `json:"cpus"`
	Go         string  `json:"go"`
	GOMAXPROCS int     `json:"gomaxprocs"`
	ClockNS    float64 `json:"clock_ns"` // a look at the clock, part of every single latency
}

// Here describes this machine.
func Here() Machine {
	return Machine{
		System:     system(),
		CPU:        firstField("/proc/cpuinfo", "model name"),
		CPUs:       runtime.NumCPU(),
		Go:         runtime.Version(),
		GOMAXPROCS: runtime.GOMAXPROCS(0),
		ClockNS:    clock(),
	}
}

// Processor is the name of the CPU, or that it is not known.
func (m Machine) Processor() string {
	if m.CPU == "" {
		return "unknown CPU"
	}
	return m.CPU
}

// clock measures what a look at the clock costs, in nanoseconds.
func clock() float64 {
	const looks = 100_000
	begin := time.Now()
	var last time.Duration
	for range looks {
		last = time.Since(begin)
	}
	return float64(last) / looks
}

func system() string {
	s := runtime.GOOS + "/" + runtime.GOARCH
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		version, _, _ := strings.Cut(strings.TrimSpace(string(release)), "-")
		s += ", kernel " + version
	}
	return s
}

// firstField returns the value of the first "name: value" line of a file.
func firstField(path, name string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
