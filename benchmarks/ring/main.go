// Command ring measures tenon's ring beside yardsticks in one run: messages from
// one process to another, without calls.
//
//	go run ./benchmarks/ring             the whole, about a minute
//	go run ./benchmarks/ring -quick      a look, below twenty seconds
//	go run ./benchmarks/ring -json FILE  for go run ./benchmarks/report
//
// The yardsticks are a queue in C++ (programs/spsc.cpp), the ring of a Node.js
// library re-created in JavaScript (programs/seed.mjs) and Go channels. What a
// system lacks - g++, node, memory shared by descriptor - leaves its rows out, with
// a note.
//
// The same folder shows that the ring can be implemented elsewhere: layout.mjs is
// a reader and a writer of tenon's ring made from RING.md alone, which the tests
// run against the one in Go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/tenon-go/tenon/benchmarks/result"
)

func main() {
	if order := os.Getenv(writerVariable); order != "" {
		exit(writeFor(order))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exit(run(ctx))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "ring:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(ctx context.Context) error {
	var (
		quick = flag.Bool("quick", false, "short rounds: good for a look, not for a claim")
		file  = flag.String("json", "", "write the results into a `file`")
	)
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	dir, err := os.MkdirTemp("", "tenon-ring-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	p := plan{yardsticks: yardsticks(ctx, dir), sizes: sizes, rounds: 7, each: 100 * time.Millisecond, watch: time.Second}
	if *quick {
		p.rounds, p.each = 3, 20*time.Millisecond
	}
	results, err := p.run(ctx)
	if err != nil {
		return err
	}
	fmt.Print(render(results))
	if *file != "" {
		if err := result.Update(*file, func(f *result.File) { f.Ring = results }); err != nil {
			return err
		}
	}
	var failures []error
	for _, y := range results.Yardsticks {
		if y.Failure != "" {
			failures = append(failures, fmt.Errorf("%s: %s", y.Name, y.Failure))
		}
	}
	return errors.Join(failures...)
}
