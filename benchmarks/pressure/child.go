package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/benchmarks/contract"
	"github.com/tenon-go/tenon/benchmarks/measure"
	"github.com/tenon-go/tenon/benchmarks/result"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/pool"
	"github.com/tenon-go/tenon/shm"
	"github.com/tenon-go/tenon/worker"
)

// childArg marks a process that measures; its order is the second argument.
const childArg = "measure-pressure"

// rivalArg marks a process that computes until its standard input ends.
const rivalArg = "rival-pressure"

// measureAsChild carries an order out and exits, in a process that was started
// for it. It begins when its standard input says so, and its outcome is JSON.
func measureAsChild() {
	if len(os.Args) == 2 && os.Args[1] == rivalArg {
		burn(1)
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	if len(os.Args) != 3 || os.Args[1] != childArg {
		return
	}
	if _, err := bufio.NewReader(os.Stdin).ReadByte(); err != nil {
		os.Exit(1) // the parent is gone
	}
	var o order
	err := json.Unmarshal([]byte(os.Args[2]), &o)
	var outcome any
	if err == nil {
		outcome, err = o.carryOut(context.Background())
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(outcome)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func (o order) each() time.Duration { return time.Duration(o.EachMS * float64(time.Millisecond)) }

func (o order) carryOut(ctx context.Context) (any, error) {
	switch o.Kind {
	case "calls":
		return o.calls(ctx)
	case "connections":
		return o.connections(ctx)
	case "transfer":
		return o.transfer(ctx)
	}
	return nil, fmt.Errorf("there is no measurement %q", o.Kind)
}

// pooled starts a pool of workers to call through.
func (o order) pooled(ctx context.Context) (through contract.Directory, end func(), err error) {
	p, err := pool.New(ctx, o.Workers, func(ctx context.Context) (pool.Member, error) { return o.start(ctx, "") })
	if err != nil {
		return nil, nil, err
	}
	return contract.NewDirectoryClient(p), func() { p.Close() }, nil
}

// A crew is a serving process and the connections to it.
type crew struct {
	server      *worker.Worker
	connections []contract.Directory
	end         func()
}

func (o order) connected(ctx context.Context) (c crew, err error) {
	name := fmt.Sprintf("@tenon-pressure-%d", os.Getpid())
	if c.server, err = o.start(ctx, name); err != nil {
		return c, err
	}
	ctx, stop := context.WithCancel(ctx)
	c.end = func() {
		stop()
		c.server.Kill()
	}
	connOptions, linkOptions := polling(o.Polling)
	for range o.Connections {
		link, err := shm.Dial(ctx, name, linkOptions...)
		if err != nil {
			c.end()
			return c, err
		}
		c.connections = append(c.connections, contract.NewDirectoryClient(tenon.NewConn(ctx, link, nil, connOptions...)))
	}
	return c, nil
}

// start starts a serving process, which listens at name if there is one.
func (o order) start(ctx context.Context, name string) (*worker.Worker, error) {
	env := []string{burnKey + "=" + fmt.Sprint(o.BurnServer), listenKey + "=" + name}
	opts := []worker.Option{worker.Name("the server")}
	if !o.Polling {
		env = append(env, sleepingKey+"=yes")
		opts = append(opts, worker.Polling(0))
	}
	return worker.Start(ctx, worker.Self(entry), append(opts, worker.Env(env...))...)
}

// calls has many goroutines call at once.
func (o order) calls(ctx context.Context) (cost result.Cost, err error) {
	burn(o.Burn)
	var list []contract.Directory
	if o.Workers > 0 {
		through, end, err := o.pooled(ctx)
		if err != nil {
			return cost, err
		}
		defer end()
		list = append(list, through)
	} else {
		c, err := o.connected(ctx)
		if err != nil {
			return cost, err
		}
		defer c.end()
		list = c.connections
	}
	ctx, cancel := context.WithCancel(ctx) // as callers have it
	defer cancel()
	all := hdrhistogram.New(1, int64(time.Minute), 3)
	own := make([]*hdrhistogram.Histogram, o.Callers)
	for i := range own {
		own[i] = hdrhistogram.New(1, int64(time.Minute), 2)
	}
	if _, _, err := crowd(ctx, o.each()/4, list, own); err != nil {
		return cost, err
	}
	for _, h := range own {
		h.Reset()
	}
	runtime.GC()
	work := measure.StartWork()
	calls, took, err := crowd(ctx, o.each(), list, own)
	if err != nil {
		return cost, err
	}
	done, known := work.Done()
	for _, h := range own {
		all.Merge(h)
	}
	cost = result.Cost{P50: float64(all.ValueAtPercentile(50)), P99: float64(all.ValueAtPercentile(99)), PerCall: float64(took) / float64(calls)}
	if known {
		cost.CPU = float64(done) / float64(calls)
	}
	return cost, nil
}

func crowd(ctx context.Context, d time.Duration, list []contract.Directory, own []*hdrhistogram.Histogram) (calls int64, took time.Duration, err error) {
	var (
		group  sync.WaitGroup
		over   atomic.Bool
		total  atomic.Int64
		failed atomic.Pointer[error]
	)
	timer := time.AfterFunc(d, func() { over.Store(true) })
	defer timer.Stop()
	begin := time.Now()
	for i, times := range own {
		group.Go(func() {
			through, n := list[i%len(list)], int64(0)
			// The timer may be late where all CPUs are busy.
			for last := begin; n == 0 || !over.Load() && last.Sub(begin) < d; n++ {
				if sum, err := through.Add(ctx, 4711, 1<<40); err != nil || sum != 1<<40+4711 {
					if err == nil {
						err = errors.New("a wrong answer")
					}
					failed.Store(&err)
					over.Store(true)
					return
				}
				now := time.Now()
				_ = times.RecordValue(int64(min(now.Sub(last), time.Minute)))
				last = now
			}
			total.Add(n)
		})
	}
	group.Wait()
	took = time.Since(begin)
	if e := failed.Load(); e != nil {
		return 0, 0, *e
	}
	return total.Load(), took, nil
}

// connections lets connections that have each carried a call lie idle, and looks
// at what they cost then.
func (o order) connections(ctx context.Context) (c result.Connections, err error) {
	c.Count = o.Connections
	none := o
	none.Connections = 0
	alone, err := none.connected(ctx)
	if err != nil {
		return c, err
	}
	before, err := lookAround(alone.server.PID())
	alone.end()
	if err != nil {
		return c, err
	}
	all, err := o.connected(ctx)
	if err != nil {
		return c, err
	}
	defer all.end()
	for _, through := range all.connections {
		if _, err := through.Add(ctx, 1, 2); err != nil {
			return c, err
		}
	}
	time.Sleep(time.Duration(o.IdleMS * float64(time.Millisecond)))
	after, err := lookAround(all.server.PID())
	if err != nil {
		return c, err
	}
	work, begin := measure.StartWork(), time.Now()
	time.Sleep(o.each())
	done, _ := work.Done()
	c.CPU = done.Seconds() / time.Since(begin).Seconds()
	n := float64(o.Connections)
	c.Heap = float64(after.heap-before.heap) / n
	c.Client = float64(after.client.private-before.client.private) / n
	c.Server = float64(after.server.private-before.server.private) / n
	c.Shared = float64(after.client.shared+after.server.shared-before.client.shared-before.server.shared) / n
	c.Threads = after.client.threads + after.server.threads
	c.None = before.client.threads + before.server.threads
	return c, nil
}

// transfer sends arguments of all sizes and returns the nanoseconds per call, the
// median for each size.
func (o order) transfer(ctx context.Context) ([]float64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var through contract.Directory
	if o.Link == "inproc" {
		near, far := inproc.Pair()
		srv := tenon.NewServer()
		contract.RegisterDirectory(srv, contract.Local{})
		go func() { _ = srv.ServeLink(ctx, far) }()
		through = contract.NewDirectoryClient(tenon.NewConn(ctx, near, nil))
	} else {
		w, err := worker.Start(ctx, worker.Self(entry), worker.Over(worker.Link(o.Link)), worker.Env(burnKey+"=0"))
		if err != nil {
			return nil, err
		}
		defer w.Kill()
		through = contract.NewDirectoryClient(w)
	}
	var all []float64
	data := make([]byte, slices.Max(o.Sizes))
	for i := range data {
		data[i] = byte(i * 7)
	}
	for _, size := range o.Sizes {
		var times []time.Duration
		for i, begin := 0, time.Now(); i < 4 || time.Since(begin) < o.each(); i++ {
			called := time.Now()
			if n, err := through.Upload(ctx, data[:size]); err != nil || n != size {
				return nil, fmt.Errorf("an argument of %d bytes: %d, %w", size, n, err)
			}
			times = append(times, time.Since(called))
		}
		times = times[1+len(times)/4:] // the first ones warm up
		slices.Sort(times)
		all = append(all, float64(times[len(times)/2]))
	}
	return all, nil
}
