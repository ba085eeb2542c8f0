//go:build linux

package pool_test

import (
	"context"
	"fmt"

	"github.com/tenon-go/tenon/pool"
	"github.com/tenon-go/tenon/worker"
)

func Example() {
	ctx := context.Background()
	p, err := pool.New(ctx, 2, func(ctx context.Context) (pool.Member, error) {
		return worker.Start(ctx, worker.Self("test"), worker.MemoryLimit(256<<20))
	}, pool.Concurrency(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()

	// do stands for a client that the generator made: it calls through the pool
	// as through a connection.
	for range 4 {
		if _, err := do.Call(ctx, p, "pid"); err != nil {
			fmt.Println(err)
		}
	}
	for _, m := range p.Stats().Members {
		fmt.Println(m.Calls, "calls")
	}
	// Output:
	// 2 calls
	// 2 calls
}
