package tenon

import (
	"context"
	"iter"
	"runtime"
	"sync"
)

// Results are the streams of a method that answers with several.
type Results struct {
	ctx     context.Context
	method  string
	call    func(ctx context.Context, t *talk) error
	args    []Port
	outputs int

	mu     sync.Mutex
	latest *sharedCall
}

// A sharedCall is one call of such a method, which several loops take part in. It
// runs on a goroutine of its own.
type sharedCall struct {
	method string

	begun map[int]bool // loops, by their ports
	left  int          // loops that have not ended
	end   context.CancelFunc

	ctx     context.Context    // of the loops
	release context.CancelFunc // of it, when the last one has ended

	known    chan struct{} // closed when state is there, or over
	state    *talking
	over     chan struct{} // closed when what follows is there
	err      error
	panicked any
}

// Streams returns the streams that m answers with; [StreamOf] gives one of them.
// The first loop over any of them calls the method, and the call lasts until all
// have been ranged over or ctx ends; at the latest until the garbage collector finds
// that nobody has the streams any more. Ranging over one again calls anew.
func Streams[A, R any](ctx context.Context, m *Method[A, R], c Caller, args A, ports ...Port) *Results {
	m.mustCall(ctx, c)
	return &Results{ctx: ctx, method: m.Name, args: ports, outputs: m.Ports - len(ports), call: func(ctx context.Context, own *talk) error {
		t := m.take(args)
		t.call.Talk = own
		_, err := t.give(c.Invoke(ctx, &t.call))
		return err
	}}
}

// StreamOf returns the stream at the port. A loop that begins when the call has failed
// already gets the items that came before that, and then the error.
func StreamOf[T any](r *Results, port int, codec *Codec[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		call := r.join(port)
		loop := newLoop(r.ctx, codec, yield)
		err := call.run(call.ctx, port, loop)
		runtime.KeepAlive(r)
		if err != nil && !loop.left {
			var none T
			yield(none, err)
		}
	}
}

// join takes part in the latest call, or begins one.
func (r *Results) join(port int) *sharedCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.latest; c != nil && !c.begun[port] {
		c.begun[port] = true
		return c
	}
	own := &talk{args: r.args, outputs: r.outputs}
	loops, release := own.detach(r.ctx)
	ctx, cancel := context.WithCancel(loops)
	c := &sharedCall{
		method: r.method, begun: map[int]bool{port: true}, left: r.outputs, end: cancel, ctx: loops, release: release,
		known: make(chan struct{}), over: make(chan struct{}),
	}
	r.latest = c
	runtime.AddCleanup(r, (*sharedCall).abandon, c)
	call := r.call
	go func() {
		defer cancel()
		returned := false
		defer func() {
			if !returned {
				c.panicked = recover()
				c.err = &Error{Code: Panicked, Message: "the call panicked, or ended its goroutine (runtime.Goexit)"}
			}
			if c.state == nil {
				release()
				close(c.known)
			}
			close(c.over)
		}()
		own.began = func(s *talking) {
			c.state = s
			close(c.known)
		}
		c.err = call(ctx, own)
		returned = true
	}()
	return c
}

// abandon ends the call when nobody can take part in it any more.
func (c *sharedCall) abandon() {
	c.end()
	c.release()
}

// run takes the items of one stream on behalf of its loop.
func (c *sharedCall) run(ctx context.Context, port int, loop taker) (err error) {
	<-c.known
	if c.state == nil {
		return c.outcome()
	}
	in := c.state.list[port-1].(*incoming)
	inOrder := false
	defer func() {
		if in.close() {
			in.conn.outbox.reset(in.address)
		}
		if !c.leave() {
			return
		}
		defer c.release()
		if inOrder {
			err = c.outcome() // the handler may have more to do, and to say
			return
		}
		c.end()
		<-c.over
		if c.panicked != nil {
			panic(c.panicked)
		}
	}()
	for {
		items, ok, err := in.next(ctx)
		switch {
		case err == errSettled:
			return c.outcome()
		case err != nil && ctx.Err() != nil:
			return c.state.conn.explain(ctx, contextError(ctx.Err()), c.method)
		case err != nil || !ok:
			inOrder = err == nil
			return c.state.conn.explain(ctx, c.state.withInputErrors(err), c.method)
		}
		if more, err := loop.take(items); !more {
			return c.state.conn.explain(ctx, err, c.method)
		}
	}
}

// outcome waits for the end of the call, and panics if the call did.
func (c *sharedCall) outcome() error {
	<-c.over
	if c.panicked != nil {
		panic(c.panicked)
	}
	return c.err
}

// leave ends the part of one loop, and reports whether it was the last one.
func (c *sharedCall) leave() (last bool) {
	s := c.state
	s.mu.Lock()
	defer s.mu.Unlock()
	c.left--
	return c.left == 0
}
