package main

import (
	"fmt"
	"runtime"
)

// An order is what a child measures. It travels as JSON.
type order struct {
	Kind    string // "calls", "connections" or "transfer"
	EachMS  float64
	Polling bool // as by default; else never

	Callers     int // goroutines that call at once, spread over the connections
	Connections int
	Workers     int // if not 0: a pool of so many, and no further connections
	Burn        int // goroutines that compute, in the calling process
	BurnServer  int // the same in the serving process

	IdleMS float64 // how long idle connections are left alone
	Link   string  // for "transfer"
	Sizes  []int
}

// A scenario is an order for calls, and the room in which it is carried out.
type scenario struct {
	group, name string
	order       order
	room        room
	times       int // how many times as long it takes as others
}

// A room is what a child and the processes that it starts may use.
type room struct {
	procs int  // GOMAXPROCS; 0: the default
	oneOf bool // one CPU alone
	half  bool // half a CPU: by a quota, or else by a rival on one CPU
	rival bool // by a rival in any case
}

// sizes are those of arguments, in bytes.
var sizes = []int{0, 64, 512, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20}

// links are those over which arguments of all sizes are sent.
var links = []string{"shm", "inproc", "unix", "pipe"}

// poolCallers is how many goroutines call through a pool of workers.
const poolCallers = 16

func scenarios() []scenario {
	cpus := runtime.NumCPU()
	one := order{Callers: 1, Connections: 1}
	with := func(change func(*order)) order {
		o := one
		change(&o)
		return o
	}
	list := []scenario{
		{group: "room", name: "nothing beside it", order: one},
		{group: "room", name: "GOMAXPROCS=1", order: one, room: room{procs: 1}},
		{group: "room", name: "one CPU", order: one, room: room{oneOf: true}},
		{group: "room", name: "half a CPU", order: one, room: room{half: true}},
		{group: "busy", name: fmt.Sprintf("%d busy goroutines in the caller", cpus), order: with(func(o *order) { o.Burn = cpus }), times: 3},
		{group: "busy", name: fmt.Sprintf("%d busy goroutines in the server", cpus), order: with(func(o *order) { o.BurnServer = cpus }), times: 3},
		{group: "busy", name: fmt.Sprintf("%d busy goroutines in both", cpus), order: with(func(o *order) { o.Burn, o.BurnServer = cpus, cpus }), times: 3},
	}
	for _, n := range []int{2, 8, 64} {
		list = append(list, scenario{group: "connections", name: fmt.Sprintf("%d connections, a caller each", n), order: with(func(o *order) { o.Connections, o.Callers = n, n })})
	}
	for _, n := range []int{1, 4, 16, 64, 256} {
		list = append(list, scenario{group: "callers", name: fmt.Sprintf("%d callers", n), order: with(func(o *order) { o.Callers = n })})
	}
	for _, n := range []int{1, 2, 4, 8} {
		list = append(list, scenario{group: "workers", name: fmt.Sprintf("%d workers, %d callers", n, poolCallers), order: with(func(o *order) { o.Workers, o.Callers = n, poolCallers })})
	}
	for i := range list {
		list[i].order.Kind = "calls"
	}
	return list
}
