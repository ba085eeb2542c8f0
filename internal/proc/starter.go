package proc

import (
	"runtime"
	"sync"
)

// starter hands functions to the one goroutine, locked to its thread for the
// life of the program, that starts every child: the kernel's "kill me when my
// parent ends" means the thread that forked, and Go ends threads as it likes.
var starter = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

func onStarter(f func()) {
	finished := make(chan struct{})
	starter() <- func() {
		defer close(finished)
		f()
	}
	<-finished
}
