package linktest

import (
	"bytes"
	"sync/atomic"

	"github.com/tenon-go/tenon"
)

// An operation is a method of a link, as decorators see it.
type operation string

const (
	opSend     operation = "Send"
	opRecv     operation = "Recv"
	opReserve  operation = "Reserve"
	opCommit   operation = "Commit"
	opFlush    operation = "Flush"
	opTryRecv  operation = "TryRecv"
	opWaitRecv operation = "WaitRecv"
	opWaitSend operation = "WaitSend"
	opClose    operation = "Close"
)

// hooks are what a decorator does; every one may be nil. The piece functions
// belong to the sender and the receiver of the link, before and after to anybody.
type hooks struct {
	before func(op operation, n int)            // an operation on n bytes
	after  func(op operation, n int, err error) // it moved n bytes

	sendPiece func(n int) int // how many of n bytes travel as one piece
	recvPiece func(n int) int // how many of n arrived bytes are handed out at once
	join      func() bool     // whether to hand out what comes next in one slice with this

	breakAfter int64 // bytes sent until the link breaks
	broken     error // what both halves answer then; nil: never
}

// decorate returns l with hooks, as a DirectLink if l is one.
func decorate(l tenon.Link, h hooks) tenon.Link {
	if h.before == nil {
		h.before = func(operation, int) {}
	}
	if h.after == nil {
		h.after = func(operation, int, error) {}
	}
	if h.sendPiece == nil {
		h.sendPiece = func(n int) int { return n }
	}
	if h.recvPiece == nil {
		h.recvPiece = func(n int) int { return n }
	}
	direct, ok := l.(tenon.DirectLink)
	if !ok {
		return &decorated{link: l, hooks: h}
	}
	return &decoratedDirect{decorated{link: l, hooks: h, direct: direct}}
}

type decorated struct {
	link   tenon.Link
	direct tenon.DirectLink // nil if link is none
	hooks
	sent   int64
	rest   []byte // arrived and not yet handed out
	isOver atomic.Bool
	failed atomic.Bool
}

func (d *decorated) Send(p []byte) (err error) {
	size := len(p)
	d.before(opSend, size)
	defer func() { d.after(opSend, size, err) }()
	if size == 0 {
		return d.errorOf(d.link.Send(p))
	}
	p = p[:d.allowed(size)]
	for len(p) > 0 {
		n := d.sendPiece(len(p))
		if err := d.link.Send(p[:n]); err != nil {
			return d.errorOf(err)
		}
		d.sent += int64(n)
		p = p[n:]
	}
	return d.breakIfDue()
}

func (d *decorated) Recv() (p []byte, err error) {
	d.before(opRecv, 0)
	defer func() { d.after(opRecv, len(p), err) }()
	return d.handOut(d.link.Recv)
}

func (d *decorated) Close() error {
	d.before(opClose, 0)
	d.isOver.Store(true)
	err := d.link.Close()
	d.after(opClose, 0, err)
	return err
}

// handOut returns a piece of what has arrived before or arrives now.
func (d *decorated) handOut(recv func() ([]byte, error)) ([]byte, error) {
	if len(d.rest) == 0 || d.isOver.Load() {
		p, err := recv()
		if len(p) == 0 || err != nil {
			return nil, d.errorOf(err)
		}
		d.rest = d.joined(p)
	}
	n := d.recvPiece(len(d.rest))
	p := d.rest[:n:n]
	d.rest = d.rest[n:]
	return p, nil
}

func (d *decorated) joined(p []byte) []byte {
	if d.direct == nil || d.join == nil || !d.join() {
		return p
	}
	all := bytes.Clone(p)
	for len(all) < 1<<20 {
		more, err := d.direct.TryRecv()
		if len(more) == 0 || err != nil { // the error is there again next time
			break
		}
		all = append(all, more...)
	}
	return all
}

// allowed says how many of n bytes pass before the link breaks.
func (d *decorated) allowed(n int) int {
	if d.broken == nil {
		return n
	}
	return int(min(int64(n), d.breakAfter-d.sent))
}

func (d *decorated) breakIfDue() error {
	if d.broken == nil || d.sent < d.breakAfter {
		return nil
	}
	if d.failed.CompareAndSwap(false, true) {
		d.link.Close()
	}
	return d.errorOf(d.broken)
}

// errorOf makes the error of a link that was broken by breakIfDue its own.
func (d *decorated) errorOf(err error) error {
	if err != nil && d.failed.Load() && !d.isOver.Load() {
		return d.broken
	}
	return err
}

// decoratedDirect is decorated for a link that is a direct one.
type decoratedDirect struct{ decorated }

func (d *decoratedDirect) MaxReserve() int { return d.direct.MaxReserve() }
func (d *decoratedDirect) InterruptRecv()  { d.direct.InterruptRecv() }
func (d *decoratedDirect) InterruptSend()  { d.direct.InterruptSend() }

func (d *decoratedDirect) Reserve(n int) []byte {
	d.before(opReserve, n)
	p := d.direct.Reserve(n)
	d.after(opReserve, cap(p), nil)
	return p
}

func (d *decoratedDirect) Commit(p []byte) (err error) {
	d.before(opCommit, len(p))
	defer func() { d.after(opCommit, len(p), err) }()
	n := d.allowed(len(p))
	if err := d.direct.Commit(p[:n]); err != nil {
		return d.errorOf(err)
	}
	d.sent += int64(n)
	if n == len(p) {
		return nil
	}
	d.direct.Flush()
	return d.breakIfDue()
}

func (d *decoratedDirect) Flush() (err error) {
	d.before(opFlush, 0)
	defer func() { d.after(opFlush, 0, err) }()
	if err := d.direct.Flush(); err != nil {
		return d.errorOf(err)
	}
	return d.breakIfDue()
}

func (d *decoratedDirect) WaitSend(n int) (err error) {
	d.before(opWaitSend, n)
	defer func() { d.after(opWaitSend, n, err) }()
	return d.errorOf(d.direct.WaitSend(n))
}

func (d *decoratedDirect) TryRecv() (p []byte, err error) {
	d.before(opTryRecv, 0)
	defer func() { d.after(opTryRecv, len(p), err) }()
	return d.handOut(d.direct.TryRecv)
}

func (d *decoratedDirect) WaitRecv() (err error) {
	d.before(opWaitRecv, 0)
	defer func() { d.after(opWaitRecv, 0, err) }()
	if len(d.rest) > 0 && !d.isOver.Load() {
		return nil
	}
	return d.errorOf(d.direct.WaitRecv())
}
