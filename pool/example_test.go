//go:build linux

package pool_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/tenon-go/tenon"
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

// Servers within this process are members beside workers, and stand in for them
// in tests.
func ExampleLocal() {
	srv := tenon.NewServer()
	tenon.Handle(srv, &do, func(_ context.Context, order string) (string, error) {
		return order + ": done here", nil
	})
	ctx := context.Background()
	p, err := pool.New(ctx, 2, func(context.Context) (pool.Member, error) {
		return pool.Local(srv), nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	fmt.Println(do.Call(ctx, p, "wash up"))
	// Output: wash up: done here <nil>
}

// Calls for one document go to one worker, which has it in its memory.
func ExampleWithKey() {
	ctx := context.Background()
	p, err := pool.New(ctx, 2, startWorker)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	first, _ := do.Call(pool.WithKey(ctx, "letter.txt"), p, "pid")
	second, _ := do.Call(pool.WithKey(ctx, "letter.txt"), p, "pid")
	fmt.Println("the same worker:", first == second)
	// Output: the same worker: true
}

// What became of a worker that died is in the pool's figures.
func ExamplePool_Ready() {
	ctx := context.Background()
	p, err := pool.New(ctx, 2, startWorker)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()

	_, err = do.Call(ctx, p, "exit") // the worker ends in the middle of the call
	fmt.Println("safe to retry:", tenon.SafeToRetry(err))
	if err := p.Ready(ctx); err != nil {
		fmt.Println(err)
	}
	s := p.Stats()
	var exit *worker.ExitError
	if errors.As(s.Deaths[0].Err, &exit) {
		fmt.Println(len(s.Members), "members; one died with status", exit.Status)
	}
	// Output:
	// safe to retry: false
	// 2 members; one died with status 1
}

// Each is for calls that every member shall have.
func ExampleEach() {
	ctx := context.Background()
	p, err := pool.New(ctx, 3, startWorker)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	emptied := 0
	for member, err := range pool.Each(ctx, p, func(ctx context.Context, m tenon.Caller) (string, error) {
		return do.Call(ctx, m, "pid") // say, empty your cache
	}) {
		if err != nil {
			fmt.Println(member.Name, err)
			continue
		}
		if member.Value == fmt.Sprint(member.PID) {
			emptied++
		}
	}
	fmt.Println(emptied)
	// Output: 3
}
