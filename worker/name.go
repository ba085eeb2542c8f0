package worker

import (
	"fmt"
	"sync"
)

var names struct {
	sync.Mutex
	last map[string]int
}

// nextName numbers the workers of one program or entry.
func nextName(base string) string {
	names.Lock()
	defer names.Unlock()
	if names.last == nil {
		names.last = make(map[string]int)
	}
	names.last[base]++
	return fmt.Sprintf("%s-%d", base, names.last[base])
}
