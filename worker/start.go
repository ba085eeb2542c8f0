package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/internal/proc"
)

// Start starts a worker and returns when it serves. ctx is the worker's life:
// when it ends, the worker is stopped as by [Worker.Close].
//
// A start that fails leaves nothing behind, and says why: the program is not
// there or cannot be executed, it ended (the error wraps an *[ExitError] with the
// last lines of its standard error), or it runs but does not serve within
// [StartTimeout].
func Start(ctx context.Context, program Command, opts ...Option) (*Worker, error) {
	if ctx == nil {
		panic("worker: Start needs a context: the worker's life")
	}
	o := newOptions(program, opts)
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("worker %s: not started: %w", o.name, err)
	}
	if err := child.mayStart(); err != nil {
		return nil, fmt.Errorf("worker %s: %w", o.name, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("worker %s: not started: %w", o.name, err)
	}
	w, err := launch(ctx, program, o)
	if err != nil {
		return nil, fmt.Errorf("worker %s: start %s: %w", o.name, program, err)
	}
	if err := w.await(ctx, program, o.startTimeout); err != nil {
		return nil, err
	}
	unfollow := context.AfterFunc(ctx, func() { _ = w.Close() })
	go w.supervise(unfollow)
	return w, nil
}

// launch starts the process and connects to it.
func launch(ctx context.Context, program Command, o options) (_ *Worker, err error) {
	path, args, err := program.resolve(o.name)
	if err != nil {
		return nil, withRemedy(err)
	}

	var ours, theirs closers // closed on failure; closed in any case
	defer func() {
		theirs.close()
		if err != nil {
			ours.close()
		}
	}()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	theirs.add(null)
	stdout, childStdout, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ours.add(stdout)
	theirs.add(childStdout)
	stderr, childStderr, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ours.add(stderr)
	theirs.add(childStderr)
	// Programs expect blocking streams. This switches the child's ends only.
	childStdout.Fd()
	childStderr.Fd()
	control, childControl, err := proc.SocketPair()
	if err != nil {
		return nil, err
	}
	ours.add(control)
	theirs.add(childControl)
	link, err := o.link.open(o.memoryOptions()...)
	if err != nil {
		return nil, err
	}
	ours.add(link.ours)
	for _, f := range link.theirs {
		theirs.add(f)
	}
	ready := make(chan error, 1)
	go func() { ready <- link.ready() }()

	p, err := proc.Start(proc.Config{
		Path: path, Args: args, Dir: o.dir, Nice: o.nice,
		Env:   environment(program, o, describe(link.kind, len(link.theirs), len(o.files), o.polling)),
		Files: slices.Concat([]*os.File{null, childStdout, childStderr, childControl}, link.theirs, o.files),
	})
	if err != nil {
		return nil, withRemedy(err)
	}
	w := &Worker{
		name: o.name, grace: o.grace, proc: p, control: control,
		calls:  gate{empty: make(chan struct{})},
		exited: make(chan struct{}),
		done:   make(chan struct{}),
	}
	w.output = newOutput(o.name, p.PID(), o.sink, stdout, stderr)
	// The connection lives as long as the process: it is the process that ctx
	// ends, in order.
	living, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	w.cut = cut
	w.conn = tenon.NewConn(living, link.ours, o.back, append([]tenon.Option{
		tenon.WithPeerName(w.String()),
		tenon.WithCause(w.cause),
	}, o.connOptions()...)...)
	if err := <-ready; err != nil {
		w.abandon("")
		return nil, err
	}
	if o.memory > 0 {
		meter, err := p.Meter()
		if err != nil && !errors.Is(err, os.ErrProcessDone) {
			w.abandon("")
			return nil, err
		}
		if err == nil {
			go w.watchMemory(meter, o.memory)
		}
	}
	return w, nil
}

// await waits until the worker serves. On failure nothing of it is left.
func (w *Worker) await(ctx context.Context, program Command, timeout time.Duration) error {
	heard := make(chan progress, 1)
	go func() { heard <- listen(w.control) }()
	timer := time.NewTimer(timeout)
	defer timer.Stop()

	var said progress
	select {
	case said = <-heard:
		switch { // what will not serve is about to end, as a rule
		case said.failed != "":
			waitFor(w.proc.Done(), 200*time.Millisecond)
		case said.closed:
			waitFor(w.proc.Done(), time.Second)
		}
	case <-w.proc.Done():
		said = hangUp(w.control, heard)
	case <-timer.C:
		said = hangUp(w.control, heard)
	case <-ctx.Done():
		said = hangUp(w.control, heard)
	}

	ended := false
	select {
	case <-w.proc.Done():
		ended = true
	default:
	}
	reason := ""
	switch {
	case said.failed != "":
		reason = said.failed
	case ctx.Err() != nil:
		w.abandon("")
		return fmt.Errorf("%v: start broken off: %w", w, context.Cause(ctx))
	case ended:
		reason = "it ended before it served: " + program.remedy(said.entries)
	case said.ready:
		return nil
	case said.closed:
		reason = "it closed the descriptors it was to serve on: " + program.remedy(said.entries)
	case said.registering:
		reason = fmt.Sprintf("it did not serve within %v: the function that its main gives to worker.Main(%q, ...) has not returned", timeout, program.entry)
	default:
		reason = fmt.Sprintf("it did not serve within %v: %s", timeout, program.remedy(said.entries))
	}
	w.abandon(reason)
	return w.exit
}

// hangUp makes listen return, with all that was said up to now.
func hangUp(control *os.File, heard <-chan progress) progress {
	breakRead(control)
	return <-heard
}

// abandon ends a worker whose start failed and waits until nothing of it is
// left.
func (w *Worker) abandon(reason string) {
	w.kill(reason)
	w.reap()
	_ = w.conn.Close()
	_ = w.control.Close()
	waitFor(w.output.delivered, lastWords)
	close(w.done)
}

// environment is this process's with the worker's variables. Of a key that comes
// twice the last one is kept: many programs would take the first.
func environment(program Command, o options, link string) []string {
	given := slices.Concat(os.Environ(), o.env)
	last := make(map[string]int, len(given))
	for i, kv := range given {
		key, _, _ := strings.Cut(kv, "=")
		last[key] = i
	}
	env := make([]string, 0, len(given)+3)
	for i, kv := range given {
		key, _, _ := strings.Cut(kv, "=")
		if last[key] == i && key != envEntry && key != envLink {
			env = append(env, kv)
		}
	}
	if _, limited := last["GOMEMLIMIT"]; o.memory > 0 && !limited {
		env = append(env, fmt.Sprintf("GOMEMLIMIT=%d", o.memory/4*3))
	}
	if program.entry != "" {
		env = append(env, envEntry+"="+program.entry)
	}
	return append(env, envLink+"="+link)
}

func withRemedy(err error) error {
	if remedy := explain(err); remedy != "" {
		return fmt.Errorf("%w (%s)", err, remedy)
	}
	return err
}

func waitFor(c <-chan struct{}, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c:
	case <-timer.C:
	}
}

// closers closes what was opened on the way to something that failed.
type closers []interface{ Close() error }

func (c *closers) add(x interface{ Close() error }) { *c = append(*c, x) }

func (c closers) close() {
	for _, x := range c {
		_ = x.Close()
	}
}
