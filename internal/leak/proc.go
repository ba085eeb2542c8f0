package leak

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// descriptors lists the open descriptors of this process where the system shows
// them; nil elsewhere.
func descriptors() map[string]string {
	for _, dir := range []string{"/proc/self/fd", "/dev/fd"} {
		names, err := readNames(dir)
		if err != nil {
			continue
		}
		found := map[string]string{}
		for _, name := range names {
			path := filepath.Join(dir, name)
			target, err := os.Readlink(path)
			if err != nil {
				// On Linux the descriptor is closed by now (it was that of the
				// directory); elsewhere there are no links, but files.
				if _, err := os.Stat(path); dir == "/proc/self/fd" || err != nil {
					continue
				}
			}
			found[name+" "+target] = strings.TrimSpace(name + " -> " + target)
		}
		return found
	}
	return nil
}

// children lists the child processes, also those that have ended and wait to be
// waited for, where there is a /proc.
func children() map[string]string {
	names, err := readNames("/proc")
	if err != nil {
		return nil
	}
	self := os.Getpid()
	found := map[string]string{}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		state, parent := status(pid)
		if parent != self {
			continue
		}
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		line := strings.TrimSpace(strings.ReplaceAll(string(command), "\x00", " "))
		found[name] = fmt.Sprintf("%d (state %s) %s", pid, state, line)
	}
	return found
}

// status reads state and parent of a process: "pid (name) state parent ...",
// where the name may hold anything.
func status(pid int) (state string, parent int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", -1
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 2 {
		return "", -1
	}
	parent, err = strconv.Atoi(fields[1])
	if err != nil {
		return "", -1
	}
	return fields[0], parent
}

func readNames(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}
