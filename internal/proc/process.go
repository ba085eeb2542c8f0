package proc

import (
	"os"
	"sync"
	"syscall"
)

// Config describes a child process.
type Config struct {
	Path  string     // the file to execute, not searched for
	Args  []string   // Args[0] is the name that ps shows
	Env   []string   // the whole environment
	Dir   string     // working directory; empty: this process's
	Nice  int        // how much more willing to give way than this process, at least 0
	Files []*os.File // Files[i] becomes descriptor i, as blocking or not as it is; they stay the caller's
}

// A Process is a child that was started and its group.
type Process struct {
	pid  int
	done chan struct{}

	mu     sync.Mutex // held while signalling and while reaping
	handle handle
	reaped bool
	status Status
}

// Start starts a child. The error is an *os.PathError when the program could
// not be executed.
func Start(c Config) (*Process, error) {
	p := &Process{done: make(chan struct{})}
	var err error
	if failed := onStarter(c.Nice, func() { p.pid, p.handle, err = spawn(c) }); failed != nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	go p.watch()
	return p, nil
}

// watch waits for the end of the leader, kills what is left of its group, and
// reaps it, in this order.
func (p *Process) watch() {
	p.handle.await(p.pid)
	p.mu.Lock()
	killGroup(p.pid)
	p.status = p.handle.reap(p.pid)
	p.reaped = true
	p.mu.Unlock()
	close(p.done)
}

// PID returns the number of the child. After Done it may belong to another
// process.
func (p *Process) PID() int { return p.pid }

// Done is closed when the child has ended, its group was killed and it was
// reaped.
func (p *Process) Done() <-chan struct{} { return p.done }

// Status says how the child ended. It waits for Done.
func (p *Process) Status() Status {
	<-p.done
	return p.status
}

// Signal sends a signal to the child alone. It answers os.ErrProcessDone when
// it has been reaped.
func (p *Process) Signal(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return os.ErrProcessDone
	}
	return p.handle.signal(p.pid, sig)
}

// Kill kills the child and its group at once.
func (p *Process) Kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return os.ErrProcessDone
	}
	killGroup(p.pid)
	// A leader that moved to another group is not reached by the line above.
	return p.handle.signal(p.pid, syscall.SIGKILL)
}

// A Status is how a process ended.
type Status struct {
	Code   int            // exit status; -1 when a signal ended it
	Signal syscall.Signal // the signal that ended it, or 0
	Peak   int64          // largest resident memory in bytes, 0 when not known
}
