package proc

import (
	"fmt"
	"runtime"
	"sync"
)

// starters are the goroutines that start children, each locked to its thread for
// the life of the program: the kernel's "kill me when my parent ends" means the
// thread that forked, and Go ends threads as it likes. There is one for every
// niceness, since a child has that of the thread that forked, with all its
// threads and children from the first on.
var starters struct {
	sync.Mutex
	byNice map[int]chan<- func()
}

// onStarter runs f on the starter of a niceness.
func onStarter(nice int, f func()) error {
	starter, err := starterFor(nice)
	if err != nil {
		return err
	}
	finished := make(chan struct{})
	starter <- func() {
		defer close(finished)
		f()
	}
	<-finished
	return nil
}

func starterFor(nice int) (chan<- func(), error) {
	if nice < 0 {
		return nil, fmt.Errorf("niceness %d: a child can only be made to give way more than its parent", nice)
	}
	starters.Lock()
	defer starters.Unlock()
	if starter, ok := starters.byNice[nice]; ok {
		return starter, nil
	}
	work, ready := make(chan func()), make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with this goroutine
		err := giveWay(nice)
		ready <- err
		if err != nil {
			return
		}
		for f := range work {
			f()
		}
	}()
	if err := <-ready; err != nil {
		return nil, err
	}
	if starters.byNice == nil {
		starters.byNice = make(map[int]chan<- func())
	}
	starters.byNice[nice] = work
	return work, nil
}
