package bare

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"net"
	"runtime"
	"sync"

	"github.com/tenon-go/tenon/benchmarks/contract"
)

// A caller is a Directory at the other end of conn.
type caller struct {
	conn  net.Conn
	write sync.Mutex // who writes to conn

	mu      sync.Mutex
	out     []byte // whole frames that wait to be written
	spare   []byte
	writing bool
	last    uint32
	pending map[uint32]*call
	err     error // why nothing is read any more
}

type call struct {
	id     uint32
	frame  int // where it starts in out
	answer []byte
	err    error
	done   chan struct{}
}

var calls = sync.Pool{New: func() any { return &call{done: make(chan struct{}, 1)} }}

func (c *caller) Add(ctx context.Context, a, b int64) (int64, error) {
	call := c.begin(opAdd)
	c.out = appendInt(appendInt(c.out, a), b)
	if err := c.finish(ctx, call, nil); err != nil {
		return 0, err
	}
	defer calls.Put(call)
	return int64(binary.LittleEndian.Uint64(call.answer)), nil
}

func (c *caller) Echo(ctx context.Context, user contract.User) (contract.User, error) {
	call := c.begin(opEcho)
	c.out = appendUser(c.out, &user)
	if err := c.finish(ctx, call, nil); err != nil {
		return contract.User{}, err
	}
	defer calls.Put(call)
	d := decoder{rest: call.answer, text: string(call.answer)}
	var same contract.User
	d.user(&same)
	return same, nil
}

func (c *caller) List(ctx context.Context, n int) ([]contract.User, error) {
	call := c.begin(opList)
	c.out = appendInt(c.out, int64(n))
	if err := c.finish(ctx, call, nil); err != nil {
		return nil, err
	}
	defer calls.Put(call)
	d := decoder{rest: call.answer, text: string(call.answer)}
	list := make([]contract.User, d.int())
	for i := range list {
		d.user(&list[i])
	}
	return list, nil
}

func (c *caller) Upload(ctx context.Context, data []byte) (int, error) {
	call := c.begin(opUpload)
	if err := c.finish(ctx, call, data); err != nil {
		return 0, err
	}
	defer calls.Put(call)
	return int(binary.LittleEndian.Uint64(call.answer)), nil
}

// begin starts a frame in c.out and leaves c locked: append the arguments, then
// finish.
func (c *caller) begin(method byte) *call {
	call := calls.Get().(*call)
	c.mu.Lock()
	c.last++
	call.id, call.frame = c.last, len(c.out)
	c.pending[call.id] = call
	c.out = append(binary.LittleEndian.AppendUint32(append(c.out, 0, 0, 0, 0), call.id), method)
	return call
}

// finish writes the frame, followed by tail, and waits for the answer. Frames of
// concurrent calls go out together: the one who writes yields once before.
func (c *caller) finish(ctx context.Context, call *call, tail []byte) error {
	if err := c.err; err != nil {
		c.mu.Unlock()
		return err
	}
	binary.LittleEndian.PutUint32(c.out[call.frame:], uint32(len(c.out)-call.frame-4+len(tail)))
	switch {
	case tail != nil:
		head := append([]byte(nil), c.out[call.frame:]...)
		c.out = c.out[:call.frame]
		c.mu.Unlock()
		c.write.Lock()
		_, _ = (&net.Buffers{head, tail}).WriteTo(c.conn) // a failure is the reader's too
		c.write.Unlock()
	case c.writing:
		c.mu.Unlock()
	default:
		c.writing = true
		if len(c.pending) > 1 {
			c.mu.Unlock()
			runtime.Gosched()
			c.mu.Lock()
		}
		for len(c.out) > 0 {
			out := c.out
			c.out = c.spare[:0]
			c.mu.Unlock()
			c.write.Lock()
			_, _ = c.conn.Write(out)
			c.write.Unlock()
			c.mu.Lock()
			c.spare = out
		}
		c.writing = false
		c.mu.Unlock()
	}
	select {
	case <-call.done:
		return call.err
	case <-ctx.Done():
		return ctx.Err() // the call is left to the garbage collector
	}
}

func (c *caller) read() {
	in := bufio.NewReaderSize(c.conn, bufferSize)
	var header [headerSize]byte
	for {
		if _, err := io.ReadFull(in, header[:]); err != nil {
			c.fail(err)
			return
		}
		size := int(binary.LittleEndian.Uint32(header[:])) - headerSize + 4
		c.mu.Lock()
		id := binary.LittleEndian.Uint32(header[4:])
		call := c.pending[id]
		delete(c.pending, id)
		c.mu.Unlock()
		call.answer = resize(call.answer, size)
		_, call.err = io.ReadFull(in, call.answer)
		call.done <- struct{}{}
	}
}

func (c *caller) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
	for id, call := range c.pending {
		delete(c.pending, id)
		call.err = err
		call.done <- struct{}{}
	}
}
