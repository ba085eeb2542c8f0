// Command pressure measures tenon's shared memory where the machine has other
// things to do, or much of the same: polling as it is by default beside no polling
// at all, in turns; what idle connections cost; what arguments cost by their size.
//
//	go run ./benchmarks/pressure             the whole, about three minutes
//	go run ./benchmarks/pressure -quick      a look, below a minute
//	go run ./benchmarks/pressure -json FILE  for go run ./benchmarks/report
//
// Each figure is taken by a process of its own, so that GOMAXPROCS, the CPUs it may
// use and what it has allocated are its own too.
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
	serve()
	measureAsChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "pressure:", err)
		os.Exit(1)
	}
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
	p := plan{
		scenarios: scenarios(), counts: []int{1, 10, 100, 1000}, sizes: sizes,
		rounds: 5, each: 300 * time.Millisecond, watch: time.Second, idle: 2 * time.Second,
	}
	if *quick {
		p.rounds, p.each, p.counts = 3, 50*time.Millisecond, []int{1, 100}
	}
	results, err := p.run(ctx)
	if err != nil {
		return err
	}
	fmt.Print(render(results))
	if *file != "" {
		if err := result.Update(*file, func(f *result.File) { f.Pressure = results }); err != nil {
			return err
		}
	}
	var failures []error
	for _, c := range results.Connections {
		if c.Failure != "" {
			failures = append(failures, fmt.Errorf("%d connections: %s", c.Count, c.Failure))
		}
	}
	return errors.Join(failures...)
}
