package worker

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
)

const (
	maxLine    = 64 << 10 // longer lines are cut
	maxBacklog = 1 << 20  // bytes that a slow reader may owe us
	lineCost   = 32       // what a line counts beside its bytes, so that empty ones are bounded too
	keepBuffer = 64 << 10 // larger buffers go back to the heap after a burst
)

// A sink takes one line of a worker's output, without its newline. The bytes
// are lent for the call.
type sink func(name string, pid int, stream string, line []byte)

// defaultOutput is os.Stderr as it is at the moment of writing.
type defaultOutput struct{}

func (defaultOutput) Write(p []byte) (int, error) { return os.Stderr.Write(p) }

func writerSink(w io.Writer) sink {
	return func(name string, _ int, _ string, line []byte) {
		// A writer that fails is not the worker's concern: its output is lost,
		// its work goes on.
		_, _ = w.Write(fmt.Appendf(nil, "%s: %s\n", name, line))
	}
}

func slogSink(l *slog.Logger) sink {
	return func(name string, pid int, stream string, line []byte) {
		l.LogAttrs(context.Background(), slog.LevelInfo, string(line),
			slog.String("worker", name), slog.Int("pid", pid), slog.String("stream", stream))
	}
}

// output forwards what a worker prints. One goroutine per stream takes it from
// the worker as fast as it comes; another one hands it on as fast as the sink
// takes it.
type output struct {
	name string
	pid  int
	sink sink

	streams   [2]*os.File
	readers   sync.WaitGroup
	delivered chan struct{} // closed when the last line was handed on

	mu      sync.Mutex
	wake    chan struct{} // holds one token while there may be something to hand on
	batch   batch
	dropped int
	closed  bool
	tail    tail
}

// A batch is lines in one piece of memory.
type batch struct {
	text  []byte
	lines []lineEnd
}

type lineEnd struct {
	end    int
	stream string
}

func newOutput(name string, pid int, s sink, stdout, stderr *os.File) *output {
	o := &output{
		name: name, pid: pid, sink: s,
		streams:   [2]*os.File{stdout, stderr},
		delivered: make(chan struct{}),
		wake:      make(chan struct{}, 1),
	}
	o.readers.Add(2)
	go o.read(stdout, "stdout")
	go o.read(stderr, "stderr")
	go o.deliver()
	return o
}

// end is called when the process and its group have ended: what they wrote
// before is read, but a descendant that left the group and still holds the
// pipe is not waited for.
func (o *output) end() {
	for _, f := range o.streams {
		breakRead(f)
	}
	o.readers.Wait()
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.notify()
}

func (o *output) stderr() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.tail.String()
}

func (o *output) read(f *os.File, stream string) {
	defer o.readers.Done()
	defer f.Close()
	cut := cutter{emit: func(line []byte) { o.add(stream, line) }}
	defer cut.flush()
	in := &patient{file: f}
	buf := make([]byte, 8<<10)
	for {
		n, err := in.Read(buf)
		cut.write(buf[:n])
		if err != nil {
			return
		}
	}
}

func (o *output) add(stream string, line []byte) {
	o.mu.Lock()
	if stream == "stderr" {
		o.tail.add(line)
	}
	if len(o.batch.text)+lineCost*len(o.batch.lines)+len(line) > maxBacklog {
		o.dropped += len(line) + 1
	} else {
		o.batch.text = append(o.batch.text, line...)
		o.batch.lines = append(o.batch.lines, lineEnd{len(o.batch.text), stream})
	}
	o.mu.Unlock()
	o.notify()
}

func (o *output) notify() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// deliver hands on what was read, batch by batch. Two batches take turns: one is
// filled while the other is handed on.
func (o *output) deliver() {
	defer close(o.delivered)
	var empty batch
	for range o.wake {
		for {
			o.mu.Lock()
			full, dropped, closed := o.batch, o.dropped, o.closed
			o.batch, o.dropped = empty, 0
			o.mu.Unlock()
			o.handOn(full, dropped)
			idle := len(full.lines) == 0 && dropped == 0
			empty = batch{}
			if cap(full.text) <= keepBuffer {
				empty = batch{full.text[:0], full.lines[:0]}
			}
			if idle && closed {
				return
			}
			if idle {
				break
			}
		}
	}
}

func (o *output) handOn(b batch, dropped int) {
	start := 0
	for _, l := range b.lines {
		o.sink(o.name, o.pid, l.stream, b.text[start:l.end])
		start = l.end
	}
	if dropped > 0 {
		o.sink(o.name, o.pid, "tenon", fmt.Appendf(nil, "[%d bytes of output dropped: whoever reads it is too slow]", dropped))
	}
}
