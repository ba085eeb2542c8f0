// Package bare is the floor: frames and a codec written by hand for the contract, over a
// Unix socket.
package bare

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime"
	"sync"

	"github.com/tenon-go/tenon/benchmarks/contract"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
)

// Peers is what this package offers.
var Peers = []peer.Peer{frames{}}

// frames is the floor of what a stream socket allows: frames and codec
// written by hand for these four methods, calls answered by the goroutine that
// reads them, nothing checked that could be left out.
//
//	frame: u32 length of the rest, u32 call, u8 method (in answers 0), values
type frames struct{}

func (frames) Info() peer.Info {
	return peer.Info{
		Name:      "bare",
		About:     "hand-written frames over a Unix socket",
		Kind:      peer.Floor,
		Program:   "bare",
		MaxUpload: peer.AnySize,
	}
}

const (
	opAnswer = iota
	opAdd
	opEcho
	opList
	opUpload

	headerSize = 9
	bufferSize = 64 << 10
)

func (p frames) Start(ctx context.Context) (peer.Client, error) {
	server, path, err := peer.StartOnSocket(p)
	if err != nil {
		return nil, err
	}
	conn, err := peer.DialSocket(path)(ctx)
	if err != nil {
		server.Close()
		return nil, err
	}
	calls := &caller{conn: conn, pending: make(map[uint32]*call)}
	go calls.read()
	return peer.Joined{
		Directory: calls,
		End: func() error {
			conn.Close()
			return server.Close()
		},
	}, nil
}

type caller struct {
	conn  net.Conn
	write sync.Mutex // who writes to conn

	mu      sync.Mutex
	out     []byte // whole frames that wait to be written
	spare   []byte
	writing bool
	last    uint32
	pending map[uint32]*call
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
	for id, call := range c.pending {
		delete(c.pending, id)
		call.err = err
		call.done <- struct{}{}
	}
}

func (frames) Serve() error {
	listener, err := peer.InheritedListener()
	if err != nil {
		return err
	}
	conn, err := listener.Accept()
	if err != nil {
		return err
	}
	if err := answer(conn); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// answer answers calls and writes when there is nothing more to read.
func answer(conn net.Conn) error {
	in := bufio.NewReaderSize(conn, bufferSize)
	var (
		header    [headerSize]byte
		args, out []byte
		local     contract.Local
		ctx       = context.Background()
	)
	for {
		if _, err := io.ReadFull(in, header[:]); err != nil {
			return err
		}
		size := int(binary.LittleEndian.Uint32(header[:])) - headerSize + 4
		if header[8] == opUpload {
			args = make([]byte, size) // belongs to the handler, as with everybody
		} else {
			args = resize(args, size)
		}
		if _, err := io.ReadFull(in, args); err != nil {
			return err
		}
		frame := len(out)
		out = append(append(out, 0, 0, 0, 0), header[4:8]...)
		out = append(out, opAnswer)
		d := decoder{rest: args}
		switch header[8] {
		case opAdd:
			a, b := d.int(), d.int()
			sum, _ := local.Add(ctx, a, b)
			out = appendInt(out, sum)
		case opEcho:
			d.text = string(args)
			var user contract.User
			d.user(&user)
			user, _ = local.Echo(ctx, user)
			out = appendUser(out, &user)
		case opList:
			list, err := local.List(ctx, int(d.int()))
			if err != nil {
				return err
			}
			out = appendInt(out, int64(len(list)))
			for i := range list {
				out = appendUser(out, &list[i])
			}
		case opUpload:
			length, _ := local.Upload(ctx, args)
			out = appendInt(out, int64(length))
		}
		binary.LittleEndian.PutUint32(out[frame:], uint32(len(out)-frame-4))
		if in.Buffered() == 0 {
			if _, err := conn.Write(out); err != nil {
				return err
			}
			out = out[:0]
		}
	}
}
