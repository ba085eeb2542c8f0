package worker

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// Stop ends the worker in order. From now on it takes no calls; running ones
// may finish. Then it is told to end (SIGTERM), and if it does not, it and
// everything it started is killed. ctx bounds the whole: of the time it leaves,
// the second half, at most [Grace], is kept for the worker to end by itself.
//
// Stop returns when nothing of the worker is left, with nil when it ended in
// order and an *[ExitError] when it did not. A writer of its output that is slow
// has a second to take what is left. It may be called more than once and
// at any time.
func (w *Worker) Stop(ctx context.Context) error {
	w.calls.close()
	drain := ctx
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline)
		var cancel context.CancelFunc
		drain, cancel = context.WithTimeout(ctx, left-min(left/2, w.grace))
		defer cancel()
	}
	late := false
	select {
	case <-w.calls.idle():
	case <-drain.Done():
		late = true
	case <-w.proc.Done():
	}

	grace, cancel := context.WithTimeout(ctx, w.grace)
	defer cancel()
	started := time.Now()
	w.tell()
	if late { // what still runs is broken off, in the worker too
		w.cut(fmt.Errorf("%v is being stopped, and the call did not end in time", w))
		<-w.conn.Done()
	}
	select {
	case <-w.proc.Done():
	case <-grace.Done():
		w.kill(fmt.Sprintf("it did not end within %v of SIGTERM", time.Since(started).Round(time.Millisecond)))
	}
	<-w.done
	words := time.NewTimer(lastWords)
	defer words.Stop()
	select {
	case <-w.output.delivered:
	case <-words.C:
	case <-grace.Done():
	}
	return w.Err()
}

// lastWords is how long what a worker printed is waited for when it has ended.
const lastWords = time.Second

// Close is [Worker.Stop] with the worker's grace for its running calls and as
// much for itself.
func (w *Worker) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*w.grace)
	defer cancel()
	return w.Stop(ctx)
}

// Kill ends the worker and everything it started at once and waits until
// nothing of it is left.
func (w *Worker) Kill() {
	w.calls.close()
	w.kill("its parent killed it")
	<-w.done
}

// awaitEnd kills the worker with this reason when it does not end by itself in
// time.
func (w *Worker) awaitEnd(grace time.Duration, reason string) {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-w.proc.Done():
	case <-timer.C:
		w.kill(reason)
	}
}

// tell asks the process to end.
func (w *Worker) tell() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.proc.Signal(syscall.SIGTERM) == nil {
		w.told = true
	}
}

// kill kills the whole group. The first reason stays.
func (w *Worker) kill(reason string) {
	w.mu.Lock()
	if w.reason == "" {
		w.reason = reason
	}
	w.mu.Unlock()
	_ = w.proc.Kill()
}
