package tenon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/call"
	"github.com/tenon-go/tenon/internal/wire"
)

const (
	// directSize is how much is reserved to encode a small message straight
	// into the link. What turns out larger has moved to the heap by then.
	directSize = 2 << 10
	// fragmentSize is the largest piece of a large message. Between two pieces
	// other messages get their turn.
	fragmentSize = 32 << 10
)

// A body appends itself to a frame.
type body interface {
	AppendBody(b []byte, e *codec.Encoder) []byte
}

// A sender is the writing half of a connection. Whoever holds its role, one
// goroutine at a time, encodes into the link; waiting for the role and for space
// ends with the context of the one who waits.
type sender struct {
	link     DirectLink
	maxFrame int

	pending   *pendingCalls // gives the calls we send their ids
	allowance allowance     // of large messages
	enter     func() bool   // makes a lone caller the reader before its call goes out
	waiting   *atomic.Int32 // callers who wait for answers
	later     *time.Timer   // flushes what is lazy

	turn                  // the role
	encoder codec.Encoder // of the holder
	dirty   atomic.Bool   // committed, not yet flushed
	lazy    int           // of the holder: messages since the last flush that wait for others
}

func newSender(link DirectLink, pending *pendingCalls, over <-chan struct{}) *sender {
	return &sender{
		link:     link,
		maxFrame: min(link.MaxReserve(), wire.MaxFrame),
		pending:  pending,
		turn:     newTurn(over),
	}
}

// maxLazy is how many messages wait for those that follow at once. The peer takes
// up a group while the next one is made.
const maxLazy = 16

// An encodeError is a failure to encode a message: nothing of it was sent.
type encodeError struct{ err error }

func (e encodeError) Error() string { return e.err.Error() }
func (e encodeError) Unwrap() error { return e.err }

// A linkError is why nothing more can be sent: what the link says, or that the
// connection is over.
type linkError struct{ error }

func (e linkError) Unwrap() error { return e.error }

// errClosed is the linkError of those who wait for something when the connection ends.
var errClosed = linkError{net.ErrClosed}

// linkEnded tells an end of the link from an end of the sender's patience, and from
// what is wrong with his message.
func linkEnded(err error) bool {
	_, ended := errors.AsType[linkError](err)
	return ended
}

// A message is what send sends.
type message struct {
	header   wire.Header
	body     body
	call     *call.Call     // the call that it begins, if any: gets its id
	userCode bool           // encoding runs code of users
	crowded  bool           // others are sending too, and one flush may serve them all
	lazy     bool           // somebody else flushes
	stamp    *time.Duration // gets the time when the message is ready to be published
	limit    uint32         // what the peer accepts

	progress *progressState // hears of each fragment, or is nil
}

// send sends one message. When it fails, published says whether the peer may
// have seen the message all the same.
func (s *sender) send(ctx context.Context, m message) (published bool, err error) {
	if m.userCode {
		return s.sendFromHeap(ctx, m)
	}
	if err := s.acquire(ctx); err != nil {
		return false, err
	}
	frame, err := s.reserve(ctx, min(directSize, s.maxFrame))
	if err != nil {
		s.release()
		return false, err
	}
	frame, err = s.encode(frame, m)
	if err != nil {
		s.release()
		return false, err
	}
	if segments := s.encoder.Segments(); len(segments) > 0 || len(frame) > s.maxFrame {
		pieces := cutSegments(slices.Clone(frame[wire.HeaderSize:]), segments)
		s.release()
		return s.sendPieces(ctx, m, pieces)
	}
	if err = m.checkLimit(len(frame) - wire.HeaderSize); err == nil {
		err = s.commit(ctx, frame, &m)
	}
	if err != nil {
		s.release()
		return false, err
	}
	return true, s.publish(ctx, &m)
}

// checkLimit names the peer's limit if a body of n bytes is above it.
func (m *message) checkLimit(n int) error {
	if uint64(n) <= uint64(m.limit) {
		return nil
	}
	side := "the peer accepts at most %d (tenon.WithMaxMessage on its side)"
	if m.header.Flags&wire.Callee != 0 { // the caller reads this
		side = "the caller accepts at most %d (tenon.WithMaxMessage on the caller's side)"
	}
	return &Error{
		Code: ResourceExhausted, SafeToRetry: true, cause: ErrTooLarge,
		Message: fmt.Sprintf("the message has %d bytes, "+side, n, m.limit),
	}
}

// encode builds the frame. A panic of the codec gives the role back.
func (s *sender) encode(frame []byte, m message) (_ []byte, err error) {
	ok := false
	defer func() {
		if !ok {
			s.release()
		}
	}()
	s.encoder.Reset()
	frame = m.body.AppendBody(m.header.Append(frame), &s.encoder)
	ok = true
	if err := s.encoder.Err(); err != nil {
		return nil, encodeError{err}
	}
	return frame, nil
}

var heapEncoders = sync.Pool{New: func() any { return new(heapEncoder) }}

type heapEncoder struct {
	encoder codec.Encoder
	buffer  []byte
}

// sendFromHeap encodes outside of the role, since user code runs, and copies.
func (s *sender) sendFromHeap(ctx context.Context, m message) (published bool, err error) {
	e := heapEncoders.Get().(*heapEncoder)
	e.encoder.Reset()
	frame := m.body.AppendBody(m.header.Append(e.buffer[:0]), &e.encoder)
	defer func() {
		e.encoder.Reset()
		if cap(frame) <= wire.MaxFrame {
			e.buffer = frame[:0]
			heapEncoders.Put(e)
		}
	}()
	if err := e.encoder.Err(); err != nil {
		return false, encodeError{err}
	}
	if segments := e.encoder.Segments(); len(segments) > 0 || len(frame) > s.maxFrame {
		return s.sendPieces(ctx, m, cutSegments(frame[wire.HeaderSize:], segments))
	}
	if err := m.checkLimit(len(frame) - wire.HeaderSize); err != nil {
		return false, err
	}
	if err := s.acquire(ctx); err != nil {
		return false, err
	}
	reserved, err := s.reserve(ctx, len(frame))
	if err == nil {
		err = s.commit(ctx, append(reserved, frame...), &m)
	}
	if err != nil {
		s.release()
		return false, err
	}
	return true, s.publish(ctx, &m)
}

// cutSegments puts the large values back into the places between the encoded
// bytes where they belong. Offsets of segments count the frame's header.
func cutSegments(encoded []byte, segments []codec.Segment) [][]byte {
	pieces := make([][]byte, 0, 2*len(segments)+1)
	at := 0
	for _, seg := range segments {
		end := seg.At - wire.HeaderSize
		pieces = append(pieces, encoded[at:end], seg.Data)
		at = end
	}
	return append(pieces, encoded[at:])
}

// sendPieces sends a large message in fragments and gives the role away between
// them.
func (s *sender) sendPieces(ctx context.Context, m message, pieces [][]byte) (published bool, err error) {
	total := 0
	for _, p := range pieces {
		total += len(p)
	}
	if err := m.checkLimit(total); err != nil {
		return false, err
	}
	if err := ctx.Err(); err != nil {
		return false, err // it ended while we encoded
	}
	whole := int64(total)
	if err := s.allowance.take(ctx, s.over, whole); err != nil {
		return false, err
	}
	defer func() {
		if published && total > 0 { // also when a report of progress panics
			s.allowance.cutOff(m.header, whole)
		} else {
			s.allowance.giveBack(whole)
		}
	}()
	for first := true; first || total > 0; first = false {
		if err := s.acquire(ctx); err != nil {
			return published, err
		}
		n, err := s.sendFragment(ctx, &m, &pieces, total, first)
		if err == nil {
			published = true
			err = s.flush()
		}
		s.pass()
		if err != nil {
			return published, err
		}
		total -= n
		if m.progress != nil {
			m.progress.fragment(whole-int64(total), whole)
		}
	}
	return true, nil
}

// sendFragment commits one frame with as much of pieces as it takes.
func (s *sender) sendFragment(ctx context.Context, m *message, pieces *[][]byte, left int, first bool) (sent int, err error) {
	const totalSize = 4
	h := m.header
	if !first {
		h = wire.Header{Kind: wire.Fragment, Flags: h.Flags & wire.Callee, Port: h.Port, ID: h.ID}
	}
	head := wire.HeaderSize
	room := min(fragmentSize, s.maxFrame)
	split := first && head+left > room
	if split {
		head += totalSize
	}
	if sent = min(left, room-head); sent < left {
		h.Flags |= wire.More
	}
	frame, err := s.reserve(ctx, head+sent)
	if err != nil {
		return 0, err
	}
	frame = h.Append(frame)
	if split {
		frame = wire.AppendTotal(frame, uint32(left))
	}
	for n := sent; n > 0; {
		p := (*pieces)[0]
		k := min(n, len(p))
		frame = append(frame, p[:k]...)
		n -= k
		if (*pieces)[0] = p[k:]; k == len(p) {
			*pieces = (*pieces)[1:]
		}
	}
	if !first {
		return sent, s.commit(ctx, frame, nil)
	}
	return sent, s.commit(ctx, frame, m)
}

// commitFrame commits a small frame. The caller has the role and flushes.
func (s *sender) commitFrame(ctx context.Context, h wire.Header, b []byte) error {
	frame, err := s.reserve(ctx, wire.HeaderSize+len(b))
	if err != nil {
		return err
	}
	return s.commit(ctx, append(h.Append(frame), b...), nil)
}

func (s *sender) reserve(ctx context.Context, n int) ([]byte, error) {
	for {
		if p := s.link.Reserve(n); p != nil {
			return p, nil
		}
		if err := s.waitSend(ctx, n); err != nil {
			return nil, err
		}
	}
}

// commit commits a whole frame. With m it is the first of a message; if that
// begins a call, the call gets its id now.
func (s *sender) commit(ctx context.Context, frame []byte, m *message) error {
	if m != nil && m.call != nil {
		if err := s.pending.add(m.call); err != nil {
			return err
		}
		m.crowded, m.header.ID = s.waiting.Load() > 0, m.call.ID
		wire.SetID(frame, m.call.ID)
	}
	wire.SetSize(frame)
	for {
		err := s.link.Commit(frame)
		if err == nil {
			return nil
		}
		if !errors.Is(err, ErrFull) {
			return linkError{err}
		}
		if err := s.waitSend(ctx, len(frame)); err != nil {
			return err
		}
	}
}

// publish flushes and gives the role back. In a crowd the first one lets the
// others run once: what they commit meanwhile goes out with its flush and one
// wake-up.
func (s *sender) publish(ctx context.Context, m *message) error {
	if m.stamp != nil {
		*m.stamp = clock()
	}
	if m.lazy {
		if s.lazy++; s.lazy < maxLazy {
			s.release()
			return nil
		}
		m.crowded = false
	}
	if m.crowded {
		first := !s.dirty.Swap(true)
		s.release()
		if !first {
			return nil
		}
		runtime.Gosched()
		if err := s.acquire(ctx); err != nil {
			return err
		}
	}
	if m.call != nil && !m.crowded && !m.lazy && m.call.Talk == nil && !m.call.Method.OneWay {
		m.call.Leads = s.enter()
	}
	err := s.flush()
	s.release()
	return err
}

// flushLazy publishes what is left of lazy messages.
func (s *sender) flushLazy(ctx context.Context) error {
	if !s.dirty.Load() {
		return nil
	}
	return s.flushAll(ctx)
}

// flushAll publishes what is committed, and waits for a flush under way, which
// flushLazy need not.
func (s *sender) flushAll(ctx context.Context) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	return s.flush()
}

// flushSoon is flushLazy for those who must not wait: if somebody has the role,
// the outbox does it.
func (s *sender) flushSoon(o *outbox) {
	if !s.dirty.Load() {
		return
	}
	if s.try() {
		s.flush() // a link that is broken is the reader's to find
		s.release()
	} else {
		o.flush()
	}
}

func (s *sender) flush() error {
	s.lazy = 0
	s.dirty.Store(false)
	if err := s.link.Flush(); err != nil {
		return linkError{err}
	}
	return nil
}

func (s *sender) waitSend(ctx context.Context, n int) error {
	defer context.AfterFunc(ctx, s.link.InterruptSend)()
	for {
		err := s.link.WaitSend(n)
		if err == nil {
			return nil
		}
		if !errors.Is(err, ErrInterrupted) {
			return linkError{err}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// sendEncoded sends a frame that is encoded but for its size, and publishes it.
// Others who wait for their turn come before what the caller sends next.
func (c *Conn) sendEncoded(ctx context.Context, frame []byte) error {
	s := c.sender
	if err := s.acquire(ctx); err != nil {
		return err
	}
	reserved, err := s.reserve(ctx, len(frame))
	if err == nil {
		err = s.commit(ctx, append(reserved, frame...), nil)
	}
	if err == nil {
		err = s.flush()
	}
	s.pass()
	return err
}

// sendSmall sends a small frame.
func (c *Conn) sendSmall(ctx context.Context, h wire.Header, body []byte) error {
	s := c.sender
	if err := s.acquire(ctx); err != nil {
		return err
	}
	err := s.commitFrame(ctx, h, body)
	if err == nil {
		err = s.flush()
	}
	s.release()
	return err
}
