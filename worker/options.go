package worker

import (
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/tenon-go/tenon"
)

// An Option changes how a worker is started, watched and stopped.
type Option func(*options)

type options struct {
	name         string
	env          []string
	dir          string
	files        []*os.File
	sink         sink
	link         Link
	back         *tenon.Server
	conn         []tenon.Option
	memory       int64
	startTimeout time.Duration
	grace        time.Duration
}

// Name names the worker in errors, logs and in front of its output. The default
// is the entry or the program's file name with a number: thumbs-1, thumbs-2.
func Name(name string) Option { return func(o *options) { o.name = name } }

// Env adds variables ("KEY=value") to the worker's environment, which is a copy
// of this process's. The last one of a key counts.
func Env(env ...string) Option { return func(o *options) { o.env = append(o.env, env...) } }

// Dir sets the worker's working directory. The default is this process's.
func Dir(dir string) Option { return func(o *options) { o.dir = dir } }

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
// peak leaves the collector room. Linux only.
func MemoryLimit(limit int64) Option { return func(o *options) { o.memory = limit } }

// Output writes what the worker prints to w, line by line, each with the
// worker's name in front and in one Write. It is called from one goroutine per
// worker. The default is this process's standard error.
//
// The worker never waits for w. What w does not take is kept up to 1 MiB, and
// beyond that dropped and counted; a line longer than 64 KiB is cut with a mark.
func Output(w io.Writer) Option {
	return func(o *options) { o.sink = writerSink(w) }
}

// Log is [Output] into a structured log: one record of level Info per line, with
// the attributes worker, pid and stream.
func Log(l *slog.Logger) Option {
	return func(o *options) { o.sink = slogSink(l) }
}

// Over sets what carries the calls. The default is [SharedMemory].
func Over(link Link) Option { return func(o *options) { o.link = link } }

// Back gives the worker's handlers services of this process to call, through
// tenon.ConnFrom.
func Back(srv *tenon.Server) Option { return func(o *options) { o.back = srv } }

// Conn passes options on to the worker's connection, such as
// tenon.WithPolling.
func Conn(opts ...tenon.Option) Option {
	return func(o *options) { o.conn = append(o.conn, opts...) }
}

// StartTimeout bounds the time from the start of the program until it serves.
// The default is 10 s.
func StartTimeout(d time.Duration) Option { return func(o *options) { o.startTimeout = d } }

// Grace bounds how long the worker may take to end by itself once it was told
// to, before it is killed. The default is 5 s.
func Grace(d time.Duration) Option { return func(o *options) { o.grace = d } }

func newOptions(c Command, opts []Option) options {
	o := options{
		link:         SharedMemory,
		startTimeout: 10 * time.Second,
		grace:        5 * time.Second,
	}
	for _, opt := range opts {
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
