// Overshm runs net/http and gRPC between two processes over shared memory. The
// handlers, the servers and the clients are those one has for sockets; only the
// listener and the dialer are others. It then does the same over Unix sockets
// and compares.
package main

import (
	"context"
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
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	var calls [][]caller // per transport: the three ways to call
	for _, over := range transports {
		s, err := start(over)
		if err != nil {
			return fmt.Errorf("over %s: %w", over, err)
		}
		defer s.stop()
		calls = append(calls, []caller{getter(s.http1()), getter(s.http2()), checker(s.grpc())})
	}
	fmt.Printf("p50 of one call %17s %17s\n", transports[0], transports[1])
	for i, name := range []string{"HTTP/1.1", "HTTP/2", "gRPC"} {
		typical, err := compare(ctx, calls[0][i], calls[1][i])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Printf("%-15s %17v %17v\n", name, typical[0], typical[1])
	}
	return nil
}

// A caller makes one call and waits for its answer.
type caller func(context.Context) error

// compare returns how long the typical call of each caller takes. They take
// turns, so that what else the machine does falls on all of them.
func compare(ctx context.Context, callers ...caller) (typical []time.Duration, err error) {
	const turns, calls = 20, 150
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
