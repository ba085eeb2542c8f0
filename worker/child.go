package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/internal/proc"
	"github.com/tenon-go/tenon/shm"
)

// Main makes this program serve as a worker: one line at the top of main, and
// of TestMain, per entry.
//
//	func main() {
//		worker.Main("thumbs", func(srv *tenon.Server) error {
//			imaging.RegisterImaging(srv, resizer{})
//			return nil
//		})
//		...
//
// In a process that was started by Start(ctx, Self("thumbs")) it serves until
// the parent is gone or tells it to end, and exits. Everywhere else it returns
// at once. opts are those of the worker's side of the connection: of its
// tenon.NewServer.
func Main(entry string, register func(srv *tenon.Server) error, opts ...tenon.Option) {
	switch {
	case child == nil || child.entry == "":
		return
	case child.entry != entry:
		child.say(sayEntry, entry)
		return
	}
	child.say(sayBegun, "")
	srv := tenon.NewServer(opts...)
	err := registerSafely(entry, register, srv)
	if err != nil {
		child.say(sayFailed, err.Error())
	} else {
		err = Serve(context.Background(), srv)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// registerSafely makes a panic of the user's function an error that the parent
// gets.
func registerSafely(entry string, register func(srv *tenon.Server) error, srv *tenon.Server) (err error) {
	defer func() {
		if p := recover(); p != nil {
			os.Stderr.Write(debug.Stack())
			err = fmt.Errorf("the function given to worker.Main(%q, ...) panicked: %v", entry, p)
		}
	}()
	return register(srv)
}

// ErrNotWorker is returned by [Serve] in a process that is no worker.
var ErrNotWorker = errors.New("this program is a tenon worker: start it with worker.Start(ctx, worker.Program(...))")

// Serve answers the parent's calls with srv. It returns nil when the parent
// ended the connection, or told this process to end (SIGTERM) and the running
// calls have been answered or have used up two seconds, or when ctx ended; the
// program should then end too. Its handlers' contexts have ended by then, and what
// its services keep for the connection is closed (see [tenon.PerConn]), unless that
// took more than two seconds.
//
// A worker does not outlive its parent: when that is gone, in whatever way, this
// process and its group are killed, even if Serve was never called. An interrupt
// from the terminal is left to the parent to act on, and a write to an output
// that nobody reads fails instead of ending the process.
func Serve(ctx context.Context, srv *tenon.Server) error {
	if child == nil {
		return ErrNotWorker
	}
	if srv == nil {
		return errors.New("worker: Serve needs a server (tenon.NewServer)")
	}
	if child.serving.Swap(true) {
		return errors.New("worker: Serve was called twice: a worker has one parent and serves it once")
	}
	link, opts, err := child.attach()
	if err != nil {
		child.say(sayFailed, err.Error())
		return fmt.Errorf("worker: %w", err)
	}
	<-child.caught
	// SIGTERM stays caught after this function has returned, so that a second
	// one does not interrupt what main still has to put in order.
	told, _ := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer context.AfterFunc(told, func() { drain(ctx, srv) })()
	child.say(sayReady, "")
	err = srv.ServeLink(ctx, link, opts...)
	drain(context.WithoutCancel(ctx), srv)
	if ctx.Err() != nil || errors.Is(err, tenon.ErrServerClosed) {
		return nil
	}
	if err == nil {
		return nil
	}
	// Most likely the parent is gone. Then the end comes from the control
	// socket, for the whole group: this process must not leave before. If it has
	// closed the connection, it tells us to end.
	select {
	case <-told.Done():
		return nil
	case <-time.After(time.Second):
		return err
	}
}

// drainTime is how long the running calls of a worker have after SIGTERM.
const drainTime = 2 * time.Second

// drain ends the service in order. Whoever sends SIGTERM to a whole group of
// processes, as service managers do, thereby breaks no call that is running.
func drain(ctx context.Context, srv *tenon.Server) {
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	_ = srv.Shutdown(ctx) // what has not ended by then is cut off
}

// InheritedFiles returns what the parent passed with option [Files]: nil in a
// process that is no worker.
func InheritedFiles() []*os.File {
	if child == nil {
		return nil
	}
	return child.files
}

// self is what a worker knows of itself.
type self struct {
	inheritance
	err     error  // why the inheritance is of no use
	entry   string // of Main; empty in a program that calls Serve
	serving atomic.Bool
	caught  chan struct{} // closed when an interrupt does no harm any more
}

// child is nil in a process that is no worker. It is set here, before anything
// of the program's own runs, so that nothing of the program's own passes the
// marker or the descriptors on to its children.
var child = findSelf()

func findSelf() *self {
	described, ok := os.LookupEnv(envLink)
	if !ok {
		return nil
	}
	c := &self{entry: os.Getenv(envEntry), caught: make(chan struct{})}
	_ = os.Unsetenv(envLink)
	_ = os.Unsetenv(envEntry)
	c.inheritance, c.err = inherit(described)
	if c.control == nil {
		return nil // a variable that somebody passed on; the parent is not ours
	}
	go c.catchSignals() // which takes a new thread, and as long as all that follows
	proc.Settle(os.Args[0])
	_ = proc.EndWithPeer(c.control) // where the kernel cannot, followParent can
	go c.followParent()
	return c
}

// catchSignals has the signals that a worker leaves to its parent caught and
// dropped rather than ignored: children do not inherit that.
func (c *self) catchSignals() {
	dropped := make(chan os.Signal, 1)
	signal.Notify(dropped, os.Interrupt, brokenPipe)
	close(c.caught)
}

// followParent ends this process with its group when the parent is gone, where
// the kernel has not done so.
func (c *self) followParent() {
	buf := make([]byte, 64)
	for {
		if _, err := c.control.Read(buf); err != nil {
			proc.EndGroup()
		}
	}
}

// attach opens the link, and returns the parent's wishes for the connection.
func (c *self) attach() (tenon.Link, []tenon.Option, error) {
	if c.err != nil {
		return nil, nil, c.err
	}
	if c.polling == nil {
		link, err := c.kind.attach(c.link)
		return link, nil, err
	}
	link, err := c.kind.attach(c.link, shm.Spin(*c.polling))
	return link, []tenon.Option{tenon.WithPolling(*c.polling)}, err
}

func (c *self) say(word, text string) { say(c.control, word, text) }

// mayStart refuses to start workers from a process that was itself started for
// an entry which its main has not reached: main would start workers that start
// workers.
func (c *self) mayStart() error {
	if c == nil || c.entry == "" || c.serving.Load() {
		return nil
	}
	err := fmt.Errorf("this process was started as worker %q, but main starts workers before it calls worker.Main(%q, ...)", c.entry, c.entry)
	c.say(sayFailed, err.Error())
	return err
}
