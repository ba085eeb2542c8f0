package main

import (
	"context"
	"os"
	"strconv"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/benchmarks/contract"
	"github.com/tenon-go/tenon/shm"
	"github.com/tenon-go/tenon/worker"
)

// What the serving process is told by its environment.
const (
	entry       = "pressure"
	burnKey     = "TENON_PRESSURE_BURN"     // how many goroutines compute
	listenKey   = "TENON_PRESSURE_LISTEN"   // the name at which it listens, if any
	sleepingKey = "TENON_PRESSURE_SLEEPING" // set: what it accepts never polls
)

// serve serves, in a process that was started as the serving one, and exits.
func serve() {
	worker.Main(entry, func(srv *tenon.Server) error {
		contract.RegisterDirectory(srv, contract.Local{})
		n, err := strconv.Atoi(os.Getenv(burnKey))
		if err != nil {
			return err
		}
		burn(n)
		name := os.Getenv(listenKey)
		if name == "" {
			return nil
		}
		connOptions, linkOptions := polling(os.Getenv(sleepingKey) == "")
		listener, err := shm.Listen(name, linkOptions...)
		if err != nil {
			return err
		}
		accept := func(ctx context.Context) (tenon.Link, error) { return listener.Accept(ctx) }
		go func() { _ = srv.ServeLinks(context.Background(), accept, connOptions...) }() // ends with the process
		return nil
	})
}

// polling are the options of connections and links that poll as by default, or
// never.
func polling(yes bool) ([]tenon.Option, []shm.Option) {
	if yes {
		return nil, nil
	}
	return []tenon.Option{tenon.WithPolling(0)}, []shm.Option{shm.Spin(0)}
}

// burn starts goroutines that compute as long as the process lives.
func burn(n int) {
	for range n {
		go func() {
			for x := uint64(1); ; x = x*6364136223846793005 + 1 {
				if x == 0 {
					return
				}
			}
		}()
	}
}
