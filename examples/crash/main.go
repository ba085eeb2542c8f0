// Crash shows what a caller sees when the code it calls goes wrong, in every way
// that Go knows, in a worker process: an error, and a new worker.
//
//	go run ./examples/crash
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"sync/atomic"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/pool"
	"github.com/tenon-go/tenon/worker"
)

func main() {
	log.SetFlags(0)
	worker.Main("trouble", func(srv *tenon.Server) error {
		RegisterTrouble(srv, trouble{})
		return nil
	})
	if err := show(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func show(ctx context.Context) error {
	var current atomic.Pointer[worker.Worker]
	p, err := pool.New(ctx, 1, func(ctx context.Context) (pool.Member, error) {
		w, err := worker.Start(ctx, worker.Self("trouble"),
			worker.MemoryLimit(64<<20),
			worker.Output(io.Discard)) // crash dumps; the errors have the line that counts
		if err != nil {
			return nil, err
		}
		current.Store(w)
		return w, nil
	}, pool.Concurrency(1))
	if err != nil {
		return err
	}
	defer p.Close()
	client := NewTroubleClient(p)

	fmt.Printf("This program is process %d. Its pool has one worker, with 64 MiB.\n", os.Getpid())
	for _, c := range []struct {
		does string
		call func(context.Context) error
	}{
		{"writes to a nil pointer", client.NilPointer},
		{"reads a wild pointer", client.WildPointer},
		{"exhausts memory", client.Memory},
		{"calls os.Exit(3)", client.Exit},
		{"races on a map", client.Races},
		{"loops for ever", client.Loops},
	} {
		fmt.Printf("\nThe handler %s.\n", c.does)
		before := current.Load()
		limited, cancel := context.WithTimeout(ctx, time.Second)
		err := c.call(limited)
		cancel()
		fmt.Printf("  error:  %v\n", err)
		if errors.Is(err, context.DeadlineExceeded) {
			// The caller has its answer; its worker still loops. What to do about
			// that is the program's decision.
			before.Kill()
		}

		started := time.Now()
		pid, err := client.Hello(ctx)
		if err != nil {
			return err
		}
		what := "a new worker"
		if pid == before.PID() {
			what = "the same worker"
		}
		fmt.Printf("  next:   answered after %v by process %d, %s\n", time.Since(started).Round(100*time.Microsecond), pid, what)
	}

	fmt.Println("\nThis program has not noticed much. The pool remembers:")
	for _, d := range p.Stats().Deaths {
		fmt.Printf("  %v\n", d.Err)
	}
	return nil
}
