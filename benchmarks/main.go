// Command benchmarks measures tenon beside its peers in one run: the same
// contract, the same objects, client and server in two processes each.
//
//	go run ./benchmarks                        the whole, below five minutes
//	go run ./benchmarks -quick                 a look, below one minute
//	go run ./benchmarks -only "tenon shm,grpc"
//	go run ./benchmarks -streams               streams and calls back instead of calls
//	go run ./benchmarks -json FILE             for go run ./benchmarks/report
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/tenon-go/tenon/benchmarks/measure"
	"github.com/tenon-go/tenon/benchmarks/peers"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
	"github.com/tenon-go/tenon/benchmarks/result"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var (
		quick   = flag.Bool("quick", false, "short rounds: good for a look, not for a claim")
		rounds  = flag.Int("rounds", 0, "`number` of rounds (default 5, with -quick 3)")
		only    = flag.String("only", "", "`names` of the peers to measure, separated by commas (default all): "+strings.Join(names(peers.All()), ", "))
		streams = flag.Bool("streams", false, "measure streams, and calls beside them")
		add     = flag.Bool("add", false, "add the rounds to those that the file of -json has, instead of replacing them")
		file    = flag.String("json", "", "write the results into a `file`")
	)
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	chosen, err := choose(peers.All(), *only)
	if err != nil {
		return err
	}
	plan := plan{peers: chosen, rounds: 5, each: 350 * time.Millisecond, measure: measure.Peer, figures: result.Figures}
	into := func(f *result.File) **result.Run { return &f.Calls }
	if *streams {
		plan.each, plan.measure, plan.figures = 150*time.Millisecond, measure.Streams, result.StreamFigures
		plan.peers = slices.DeleteFunc(plan.peers, func(p peer.Peer) bool { return !p.Info().Streams })
		into = func(f *result.File) **result.Run { return &f.Streams }
	}
	if *quick {
		plan.rounds, plan.each = 3, 60*time.Millisecond
	}
	if *rounds > 0 {
		plan.rounds = *rounds
	}
	remove, err := buildServers(ctx)
	if err != nil {
		return err
	}
	defer remove()

	results, err := plan.run(ctx)
	if err != nil {
		return err
	}
	if *file != "" {
		if err := result.Update(*file, func(f *result.File) {
			if earlier := *into(f); earlier != nil && *add {
				results.Add(earlier)
			}
			*into(f) = results
		}); err != nil {
			return err
		}
	}
	var failures []error
	for _, p := range results.Peers {
		if p.Failure != "" {
			failures = append(failures, fmt.Errorf("%s: %s", p.Name, p.Failure))
		}
	}
	return errors.Join(failures...)
}

func names(list []peer.Peer) []string {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.Info().Name
	}
	return names
}

// choose picks the peers that only names; all when it names none.
func choose(all []peer.Peer, only string) ([]peer.Peer, error) {
	if only == "" {
		return all, nil
	}
	var chosen []peer.Peer
	for name := range strings.SplitSeq(only, ",") {
		name = strings.TrimSpace(name)
		i := slices.Index(names(all), name)
		if i < 0 {
			return nil, fmt.Errorf("there is no peer %q; there are %s", name, strings.Join(names(all), ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
