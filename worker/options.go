package worker

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/internal/proc"
	"github.com/tenon-go/tenon/shm"
)

// An Option changes how a worker is started, watched and stopped.
type Option func(*options)

type options struct {
	name         string
	env          []string
	nice         int
	dir          string
	files        []*os.File
	sink         sink
	link         Link
	ringSize     int
	polling      *time.Duration
	back         *tenon.Server
	conn         []tenon.Option
	memory       int64
	startTimeout time.Duration
	grace        time.Duration
	misuse       string // what is wrong with an option that could not be taken
}

// Name names the worker in errors, logs and in front of its output. The default
// is the entry or the program's file name with a number: thumbs-1, thumbs-2.
func Name(name string) Option { return func(o *options) { o.name = name } }

// Env adds variables ("KEY=value") to the worker's environment, which is a copy
// of this process's. The last one of a key counts. A Go program also takes its
// runtime's settings from there: GOMAXPROCS=1 keeps it from using more than one
// core, GOMEMLIMIT=200MiB has it collect garbage rather than grow (see also
// [MemoryLimit]), GOTRACEBACK=all has a crash print all goroutines.
func Env(env ...string) Option { return func(o *options) { o.env = append(o.env, env...) } }

// Dir sets the worker's working directory. The default is this process's.
func Dir(dir string) Option { return func(o *options) { o.dir = dir } }

// Nice makes the worker, with all it starts, more willing to give way to other
// processes than this one is: n from 1 to 19 is added to its niceness. Where all
// cores are busy, a worker with 5 gets about a third of the time of one without,
// one with 19 nearly none.
func Nice(n int) Option { return func(o *options) { o.nice = n } }

// Files passes open files on to the worker, which finds them, in this order, with
// [InheritedFiles]. They stay the caller's.
func Files(files ...*os.File) Option {
	return func(o *options) { o.files = append(o.files, files...) }
}

// MemoryLimit has the worker killed when its resident memory goes beyond limit
// bytes; the reason is in the errors of the calls that it takes along. Memory is
// looked at every few milliseconds, so a worker in full career may get some tens
// of megabytes further. A Go program is also told three quarters of it as its
// GOMEMLIMIT, so that it collects its garbage before it is killed for it, unless
// its environment sets one; a limit of three times what one call needs at its
// peak leaves the collector room. 0 is no limit. Linux only.
func MemoryLimit(limit int64) Option { return func(o *options) { o.memory = limit } }

// Output writes what the worker prints to w, line by line, each with the
// worker's name in front and in one Write. It is called from one goroutine per
// worker. The default is this process's standard error.
//
// The worker never waits for w. What w does not take is kept up to 1 MiB, and
// beyond that dropped and counted; a line longer than 64 KiB is cut with a mark.
func Output(w io.Writer) Option {
	return func(o *options) {
		if w == nil {
			o.misuse = "worker.Output(nil) has nothing to write to; io.Discard drops what the worker prints"
		}
		o.sink = writerSink(w)
	}
}

// Log is [Output] into a structured log: one record of level Info per line, with
// the attributes worker, pid and stream.
func Log(l *slog.Logger) Option {
	return func(o *options) {
		if l == nil {
			o.misuse = "worker.Log(nil) has no log to write to; slog.Default() is the program's own"
		}
		o.sink = slogSink(l)
	}
}

// Over sets what carries the calls. The default is [SharedMemory].
func Over(link Link) Option { return func(o *options) { o.link = link } }

// RingSize sets how many bytes shared memory buffers in each direction: 1 MiB
// unless set. Large messages travel through it in pieces whatever its size; more
// helps where one side sends bursts that the other is slow to take. Other links
// have no ring.
func RingSize(bytes int) Option { return func(o *options) { o.ringSize = bytes } }

// Polling sets how long either side of the connection polls before it sleeps, 0
// for never: see tenon.WithPolling. It reaches the connections of both processes
// and the shared memory between them; of the worker it overrides what its program
// sets.
func Polling(budget time.Duration) Option { return func(o *options) { o.polling = &budget } }

// Back gives the worker's handlers services of this process to call, through
// tenon.ConnFrom.
func Back(srv *tenon.Server) Option { return func(o *options) { o.back = srv } }

// Conn passes options on to this side of the worker's connection, such as
// tenon.WithMaxMessage. The other side's are those of [Main], or of the server
// that [Serve] is given.
func Conn(opts ...tenon.Option) Option {
	return func(o *options) { o.conn = append(o.conn, opts...) }
}

// StartTimeout bounds the time from the start of the program until it serves.
// The default is 10 s.
func StartTimeout(d time.Duration) Option { return func(o *options) { o.startTimeout = d } }

// Grace bounds how long the worker may take to end by itself once it was told
// to, before it is killed. The default is 5 s.
func Grace(d time.Duration) Option { return func(o *options) { o.grace = d } }

// check says which option makes no sense, and what would.
func (o *options) check() error {
	switch {
	case o.misuse != "":
		return errors.New(o.misuse)
	case o.nice < 0 || o.nice > 19:
		return fmt.Errorf("worker.Nice(%d): a worker can give way more than this process, by 0 to 19", o.nice)
	case o.memory < 0:
		return fmt.Errorf("worker.MemoryLimit(%d): a limit is a number of bytes, such as 256<<20, or 0 for none", o.memory)
	case o.memory > 0 && !proc.HasMeters:
		return fmt.Errorf("worker.MemoryLimit: %w on %s, where a process cannot see how much memory another one uses; leave it out there", errors.ErrUnsupported, runtime.GOOS)
	case o.startTimeout <= 0:
		return fmt.Errorf("worker.StartTimeout(%v): a worker needs some time to start", o.startTimeout)
	case o.grace < 0:
		return fmt.Errorf("worker.Grace(%v): 0 kills a worker at once, and less is not possible", o.grace)
	case o.polling != nil && *o.polling < 0:
		return fmt.Errorf("worker.Polling(%v): 0 is never, and less is not possible", *o.polling)
	}
	for _, variable := range o.env {
		if key, _, ok := strings.Cut(variable, "="); !ok || key == "" || strings.Contains(variable, "\x00") {
			return fmt.Errorf("worker.Env(%q): a variable is written KEY=value", variable)
		}
	}
	for i, f := range o.files {
		if f == nil {
			return fmt.Errorf("worker.Files: file %d of %d is nil; did opening it fail?", i+1, len(o.files))
		}
	}
	return nil
}

// memoryOptions are those of the link if it is shared memory.
func (o *options) memoryOptions() (opts []shm.Option) {
	if o.ringSize != 0 {
		opts = append(opts, shm.Size(o.ringSize))
	}
	if o.polling != nil {
		opts = append(opts, shm.Spin(*o.polling))
	}
	return opts
}

func (o *options) connOptions() []tenon.Option {
	if o.polling == nil {
		return o.conn
	}
	return append([]tenon.Option{tenon.WithPolling(*o.polling)}, o.conn...)
}

func newOptions(c Command, opts []Option) options {
	o := options{
		link:         SharedMemory,
		startTimeout: 10 * time.Second,
		grace:        5 * time.Second,
	}
	for _, opt := range opts {
		if opt == nil {
			o.misuse = "an option is nil"
			continue
		}
		opt(&o)
	}
	if o.name == "" {
		o.name = nextName(c.base())
	}
	if o.sink == nil {
		o.sink = writerSink(defaultOutput{})
	}
	return o
}
