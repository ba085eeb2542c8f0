package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// A look is what the calling and the serving process have at the moment.
type look struct {
	heap           int64 // of the caller, in use after a collection
	client, server footprint
}

// A footprint is what a process takes: memory in bytes and threads.
type footprint struct {
	private int64
	shared  int64 // its share of what others see too
	threads int
}

func lookAround(server int) (l look, err error) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	l.heap = int64(m.HeapAlloc + m.StackInuse)
	if l.client, err = footprintOf("self"); err == nil {
		l.server, err = footprintOf(strconv.Itoa(server))
	}
	return l, err
}

func footprintOf(process string) (f footprint, err error) {
	memory, err := fields("/proc/" + process + "/smaps_rollup")
	if err != nil {
		return f, err
	}
	status, err := fields("/proc/" + process + "/status")
	if err != nil {
		return f, err
	}
	return footprint{private: memory["Pss_Anon"] << 10, shared: memory["Pss_Shmem"] << 10, threads: int(status["Threads"])}, nil
}

// fields reads the lines of a file that are a name and a number.
func fields(path string) (map[string]int64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	values := map[string]int64{}
	for line := range strings.Lines(string(data)) {
		name, rest, _ := strings.Cut(line, ":")
		if words := strings.Fields(rest); len(words) > 0 {
			if n, err := strconv.ParseInt(words[0], 10, 64); err == nil {
				values[name] = n
			}
		}
	}
	return values, nil
}
