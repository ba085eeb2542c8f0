package measure

import (
	"os"
	"runtime"
	"strings"

	"github.com/tenon-go/tenon/benchmarks/result"
)

// Machine describes this machine.
func Machine() result.Machine {
	return result.Machine{
		System:     system(),
		CPU:        firstField("/proc/cpuinfo", "model name"),
		CPUs:       runtime.NumCPU(),
		Go:         runtime.Version(),
		GOMAXPROCS: runtime.GOMAXPROCS(0),
		ClockNS:    Clock(),
	}
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
