package worker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/internal/call"
	"github.com/tenon-go/tenon/internal/proc"
)

// A Worker is a child process and the connection to it. It is a tenon.Caller:
// generated clients call through it.
type Worker struct {
	name    string
	grace   time.Duration
	proc    *proc.Process
	conn    *tenon.Conn
	cut     context.CancelCauseFunc // ends conn, with a reason
	control *os.File
	output  *output
	calls   gate

	mu     sync.Mutex
	reason string // why we killed it
	told   bool   // it was asked to end, so ending is no failure

	exit   *ExitError    // readable once exited is closed
	exited chan struct{} // the process was reaped and all it wrote was read
	done   chan struct{}
}

// Invoke carries a call to the worker. A worker that is being stopped refuses
// it with an error that is safe to retry elsewhere.
func (w *Worker) Invoke(ctx context.Context, c *call.Call) error {
	if !w.calls.enter() {
		return w.stopping(c)
	}
	stays := w.occupy(c)
	defer w.leave(c, stays)
	return w.conn.Invoke(ctx, c)
}

// occupy has a one-way call stay inside of the gate until its handler has ended,
// so that Stop waits for it.
func (w *Worker) occupy(c *call.Call) (stays bool) {
	if stays = c.Method.OneWay && c.Place == nil; stays {
		c.Place = &w.calls
	}
	return stays
}

// leave takes a call out of the gate. One that stays is taken out by the
// connection, if that has taken its place over.
func (w *Worker) leave(c *call.Call, stays bool) {
	if stays && c.Place == nil {
		return
	}
	if stays {
		c.Place = nil
	}
	w.calls.leave()
}

// Begin starts a call to the worker, and Finish waits for its outcome. They are
// what makes [tenon.Method.Start] cheap. [Worker.Stop] waits for Finish too.
func (w *Worker) Begin(ctx context.Context, c *call.Call) error {
	if !w.calls.enter() {
		return w.stopping(c)
	}
	stays := w.occupy(c)
	err := w.conn.Begin(ctx, c)
	if err != nil {
		w.leave(c, stays)
	}
	return err
}

// Finish is the other half of [Worker.Begin].
func (w *Worker) Finish(ctx context.Context, c *call.Call) error {
	defer w.leave(c, c.Method.OneWay)
	return w.conn.Finish(ctx, c)
}

// stopping is the error of a call that comes too late.
func (w *Worker) stopping(c *call.Call) error {
	return &tenon.Error{
		Code: tenon.Unavailable, Message: w.String() + " is being stopped",
		Method: c.Method.Name, SafeToRetry: true,
	}
}

// Conn returns the connection to the worker. Calls made through it directly are
// not waited for by [Worker.Stop].
func (w *Worker) Conn() *tenon.Conn { return w.conn }

// Name returns the worker's name.
func (w *Worker) Name() string { return w.name }

// PID returns the number of the worker's process. After Done it may belong to
// another one.
func (w *Worker) PID() int { return w.proc.PID() }

// Kind returns what carries the calls: "shm", "unix" or "pipe".
func (w *Worker) Kind() string { return w.conn.Kind() }

// String returns the worker's name and pid, as they are in errors.
func (w *Worker) String() string { return fmt.Sprintf("worker %s (pid %d)", w.name, w.proc.PID()) }

// Done is closed when the process has ended and nothing of it is left: it and
// its group are reaped, its calls are settled, its descriptors are closed. What
// it printed may still be on its way to a slow reader.
func (w *Worker) Done() <-chan struct{} { return w.done }

// Err says how the worker ended: an *[ExitError], or nil while it runs and when
// it ended in order after it was told to.
func (w *Worker) Err() error {
	select {
	case <-w.exited:
	default:
		return nil
	}
	if w.exit == nil {
		return nil
	}
	return w.exit
}

// supervise follows a worker that serves to its end.
func (w *Worker) supervise(unfollow func() bool) {
	select {
	case <-w.proc.Done():
		if errors.Is(w.conn.Err(), net.ErrClosed) {
			w.mu.Lock()
			w.told = true // it was quicker than what is left of the connection
			w.mu.Unlock()
		}
	case <-w.conn.Done():
		// Nobody can call it any more. Let it end by itself, but not for long.
		if errors.Is(w.conn.Err(), net.ErrClosed) {
			w.tell() // it was closed here
		}
		w.awaitEnd(w.grace, "it ended its connection but not itself")
	}
	w.reap()
	unfollow()
	select {
	case <-w.conn.Done():
	case <-time.After(time.Second):
		// Somebody outside of its group inherited its end of the link.
		_ = w.conn.Close()
	}
	_ = w.control.Close()
	close(w.done)
}

// reap waits for the end of the process and records how it was.
func (w *Worker) reap() {
	<-w.proc.Done()
	w.output.end()
	w.exit = w.describeExit()
	close(w.exited)
}

// describeExit says how the process ended, which it has; nil when it was asked
// to and did so in order.
func (w *Worker) describeExit() *ExitError {
	status := w.proc.Status()
	w.mu.Lock()
	told, reason := w.told, w.reason
	w.mu.Unlock()
	if told && (status.Code == 0 || status.Signal == syscall.SIGTERM) {
		return nil
	}
	return newExitError(w.name, w.proc.PID(), status, reason, w.output.stderr())
}

// cause replaces a broken link's error by how the process ended, if it has
// ended or does so in a moment. Every open call waits for it.
func (w *Worker) cause(err error) error {
	timer := time.NewTimer(50 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-w.proc.Done():
	case <-timer.C:
		return err
	}
	exit := (*ExitError)(nil)
	select {
	case <-w.exited:
		exit = w.exit
	case <-timer.C: // its last words are still on their way
		exit = w.describeExit()
	}
	if exit == nil {
		return err
	}
	return exit
}
