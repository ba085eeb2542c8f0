package bytequeue

import (
	"bytes"
	"testing"

	"github.com/tenon-go/tenon/internal/linkerr"
)

// A model runs a byte string as a program against a Queue and a plain slice.
type model struct {
	t                    *testing.T
	q                    Queue
	published, committed []byte // what Peek is to return now and after Publish
	written              int
	program              []byte
}

func (m *model) arg() int {
	if len(m.program) < 2 {
		m.program = nil
		return 0
	}
	n := int(m.program[0])<<8 | int(m.program[1])
	m.program = m.program[2:]
	return n
}

func (m *model) next(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte((m.written + i) * 31 >> 3)
	}
	return p
}

func (m *model) took(p []byte) {
	m.committed = append(m.committed, p...)
	m.written += len(p)
}

func (m *model) step() {
	op := m.program[0]
	m.program = m.program[1:]
	switch op % 6 {
	case 0: // build in place, possibly less or more than was reserved
		n := m.arg() * 3
		fits := m.q.Fits(n)
		p := m.q.Reserve(n)
		if (p != nil) != (fits && n <= LargeBlock) {
			m.t.Fatalf("Fits(%d) is %v, Reserve gives nil: %v", n, fits, p == nil)
		}
		if p == nil {
			return
		}
		if len(p) != 0 || cap(p) != n {
			m.t.Fatalf("Reserve(%d): length %d, capacity %d", n, len(p), cap(p))
		}
		data := m.next(n + int(op)%3*(n/2) - n/4)
		m.commit(append(p, data...), data)
	case 1: // commit what was never reserved
		data := m.next(m.arg() * 3)
		m.commit(data, data)
	case 2: // drop a reservation
		if p := m.q.Reserve(m.arg()); p != nil {
			_ = append(p, bytes.Repeat([]byte{0xEE}, cap(p))...)
		}
	case 3:
		m.q.Publish()
		m.published = append(m.published, m.committed...)
		m.committed = nil
	default:
		p := m.q.Peek()
		if (p == nil) != (len(m.published) == 0) || !bytes.HasPrefix(m.published, p) {
			m.t.Fatalf("Peek gives %d bytes that are not the next of %d", len(p), len(m.published))
		}
		if n := min(len(p), m.arg()*4); p != nil {
			m.q.Discard(n)
			m.published = m.published[n:]
		}
	}
}

func (m *model) commit(p, data []byte) {
	switch err := m.q.Commit(p); {
	case err == nil:
		m.took(data)
	case err == linkerr.ErrTooLarge && len(p) <= LargeBlock:
		m.t.Fatalf("%d bytes are too large", len(p))
	case err == linkerr.ErrFull && len(m.published)+len(m.committed) == 0:
		m.t.Fatalf("an empty queue is full for %d bytes", len(p))
	}
}

func (m *model) run() {
	for len(m.program) > 0 {
		m.step()
		if held := len(m.q.blocks); held > m.q.maxLarge+1 {
			m.t.Fatalf("%d blocks are held", held)
		}
	}
	m.q.Publish()
	rest := append(m.published, m.committed...)
	for {
		p := m.q.Peek()
		if p == nil {
			break
		}
		if !bytes.HasPrefix(rest, p) {
			m.t.Fatal("the rest is wrong")
		}
		rest = rest[len(p):]
		m.q.Discard(len(p))
	}
	if len(rest) > 0 {
		m.t.Fatalf("%d bytes were lost", len(rest))
	}
	if n := len(m.q.blocks); n > 1 {
		m.t.Fatalf("an empty queue holds %d blocks", n)
	}
}

func FuzzQueueAgainstPlainSlice(f *testing.F) {
	f.Add(byte(1), []byte{0, 1, 0, 3, 4, 1, 0, 2, 9, 9, 0, 255, 255, 3, 4, 255, 255})
	f.Add(byte(2), bytes.Repeat([]byte{0, 170, 0, 1, 80, 0, 3, 5, 128, 0}, 40))
	f.Add(byte(8), bytes.Repeat([]byte{6, 10, 1, 3, 2, 100, 0, 4, 8, 0}, 60))
	f.Fuzz(func(t *testing.T, blocks byte, program []byte) {
		m := model{t: t, program: program}
		m.q.Init(int(blocks%9) * LargeBlock)
		m.run()
	})
}

func TestWhatIsPeekedIsTheMemoryThatWasReserved(t *testing.T) {
	var q Queue
	q.Init(LargeBlock)
	p := append(q.Reserve(3), "abc"...)
	if err := q.Commit(p); err != nil {
		t.Fatal(err)
	}
	q.Publish()
	if got := q.Peek(); &got[0] != &p[0] {
		t.Error("the bytes have moved")
	}
}

func TestAnEmptyQueueKeepsNoLargeBlock(t *testing.T) {
	var q Queue
	q.Init(4 * LargeBlock)
	for q.Fits(LargeBlock) {
		q.Commit(q.Reserve(LargeBlock)[:LargeBlock])
	}
	q.Publish()
	for p := q.Peek(); p != nil; p = q.Peek() {
		q.Discard(len(p))
	}
	if q.large != 0 {
		t.Errorf("%d large blocks are kept", q.large)
	}
}
