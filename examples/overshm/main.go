// Overshm runs net/http and gRPC between two processes over shared memory. The
// handlers, the servers and the clients are those one has for sockets; only the
// listener and the dialer are others. It then does the same over Unix sockets
// and compares.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"time"
)

func main() {
	if over := os.Getenv(overVariable); over != "" {
		if err := serveParent(over); err != nil {
			log.Fatal(err)
		}
		return
	}
	turns := flag.Int("turns", 20, "how many `turns` the transports take")
	flag.Parse()
	if err := run(context.Background(), *turns); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, turns int) error {
	type way struct {
		name  string
		calls int // in a turn
		over  [2]caller
	}
	ways := []way{{name: "HTTP/1.1", calls: 150}, {name: "HTTP/2", calls: 150}, {name: "gRPC", calls: 150}, {name: "16 MiB, HTTP/1.1", calls: 2}}
	for i, over := range transports {
		s, err := start(over)
		if err != nil {
			return fmt.Errorf("over %s: %w", over, err)
		}
		defer s.stop()
		web := s.http1()
		ways[0].over[i] = getter(web, "/hello/you")
		ways[1].over[i] = getter(s.http2(), "/hello/you")
		ways[2].over[i] = checker(s.grpc())
		ways[3].over[i] = getter(web, "/zeros/16777216")
	}
	fmt.Printf("%-17s %17s %17s\n", "p50 of one call", transports[0], transports[1])
	for _, w := range ways {
		typical, err := compare(ctx, turns, w.calls, w.over[:])
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		fmt.Printf("%-17s %17v %17v\n", w.name, typical[0], typical[1])
	}
	return nil
}

// A caller makes one call and waits for its answer.
type caller func(context.Context) error

// compare returns how long the typical call of each caller takes. They take
// turns, so that what else the machine does falls on all of them.
func compare(ctx context.Context, turns, calls int, callers []caller) (typical []time.Duration, err error) {
	took := make([][]time.Duration, len(callers))
	for range turns {
		for i, call := range callers {
			for range calls {
				start := time.Now()
				if err := call(ctx); err != nil {
					return nil, err
				}
				took[i] = append(took[i], time.Since(start))
			}
		}
	}
	for _, t := range took {
		slices.Sort(t)
		typical = append(typical, t[len(t)/2].Round(100*time.Nanosecond))
	}
	return typical, nil
}
