package dynamic

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tenon-go/tenon/cmd/tenon/internal/jsonvalue"
	"github.com/tenon-go/tenon/internal/shape"
)

const (
	maxLine = 256 << 20 // no message is larger
	ahead   = 1 << 20   // bytes that are read before they are wanted
)

// Lines are JSON values, one a line, for the streams among the parameters of a
// method: as they are for its only one, {"stream": value} for one of several. Lines
// are read a little ahead, and further while a stream waits for a value of its own;
// empty ones are skipped. A line that is none ends all streams with an error that
// says which.
type Lines struct {
	name string
	r    *bufio.Reader

	start   sync.Once
	mu      sync.Mutex
	changed *sync.Cond
	streams map[string]*queue
	held    int // bytes in all queues
	waiting int // streams that wait for a value
	over    bool
	err     error // what is wrong with a line
}

// A queue is what was read for one stream.
type queue struct {
	elem   *shape.Type
	values [][]byte
	closed bool // nobody wants more
}

// NewLines returns the lines of r, whose name appears in errors. A read that waits
// for one more is left alone when the call is over.
func NewLines(name string, r io.Reader) *Lines {
	l := &Lines{name: name, r: bufio.NewReaderSize(r, 64<<10), streams: make(map[string]*queue)}
	l.changed = sync.NewCond(&l.mu)
	return l
}

// expect says which streams there are.
func (l *Lines) expect(m *Method) {
	for _, i := range m.ports(shape.InputStream) {
		p := m.shape.Ports[i]
		l.streams[label(p)] = &queue{elem: p.Elem}
	}
}

// failure is what was wrong with the lines.
func (l *Lines) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// stream returns the encoded values of a stream.
func (l *Lines) stream(ctx context.Context, p shape.Port) iter.Seq2[[]byte, error] {
	q := l.streams[label(p)]
	return func(yield func([]byte, error) bool) {
		l.start.Do(func() { go l.read() })
		wake := func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.changed.Broadcast()
		}
		defer context.AfterFunc(ctx, wake)()
		defer l.close(q)
		for {
			value, ok, err := l.next(ctx, q)
			if err != nil {
				yield(nil, err)
				return
			}
			if !ok || !yield(value, nil) {
				return
			}
		}
	}
}

// next waits for the next value of a stream.
func (l *Lines) next(ctx context.Context, q *queue) (value []byte, ok bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting++
	defer func() { l.waiting-- }()
	l.changed.Broadcast()
	for len(q.values) == 0 {
		switch {
		case ctx.Err() != nil:
			return nil, false, ctx.Err()
		case l.err != nil || l.over:
			return nil, false, l.err
		}
		l.changed.Wait()
	}
	value, q.values = q.values[0], q.values[1:]
	l.held -= len(value)
	return value, true, nil
}

func (l *Lines) close(q *queue) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, v := range q.values {
		l.held -= len(v)
	}
	q.values, q.closed = nil, true
	l.changed.Broadcast()
}

// read reads lines for whoever wants them.
func (l *Lines) read() {
	for n := 1; l.wanted(); n++ {
		line, err := l.line()
		if len(bytes.TrimSpace(line)) > 0 {
			if wrong := l.take(line); wrong != nil {
				l.finish(fmt.Errorf("%s, line %d: %w", l.name, n, wrong))
				return
			}
		}
		switch {
		case err == io.EOF:
			l.finish(nil)
			return
		case err != nil:
			l.finish(fmt.Errorf("%s, line %d: %w", l.name, n, err))
			return
		}
	}
}

// wanted waits until another line is wanted, and reports false if none ever is.
func (l *Lines) wanted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		open := false
		for _, q := range l.streams {
			open = open || !q.closed
		}
		if !open || l.held < ahead || l.waiting > 0 {
			return open
		}
		l.changed.Wait()
	}
}

// line reads one, with its newline if it has one.
func (l *Lines) line() (line []byte, err error) {
	for {
		piece, err := l.r.ReadSlice('\n')
		if line = append(line, piece...); len(line) > maxLine {
			return nil, fmt.Errorf("it has more than %d bytes", maxLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// take puts the value of a line into its queue.
func (l *Lines) take(line []byte) error {
	name, line, err := l.split(line)
	if err != nil {
		return err
	}
	q := l.streams[name]
	value, err := jsonvalue.ParseItem(q.elem, line)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if q.closed {
		return nil
	}
	if l.held += len(value); l.held > maxLine {
		return fmt.Errorf("more than %d bytes wait for stream %s while another one waits for its next item", maxLine, name)
	}
	q.values = append(q.values, value)
	l.changed.Broadcast()
	return nil
}

// split takes the name of a stream off a line, if there are several.
func (l *Lines) split(line []byte) (name string, value []byte, err error) {
	names := slices.Sorted(maps.Keys(l.streams))
	if len(names) == 1 {
		return names[0], line, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(line, &object); err == nil && len(object) == 1 {
		for name, value := range object {
			if l.streams[name] != nil {
				return name, value, nil
			}
		}
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("{%q: ...}", name)
	}
	return "", nil, fmt.Errorf("want one of %s", strings.Join(names, ", "))
}

func (l *Lines) finish(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over, l.err = true, err
	l.changed.Broadcast()
}
