package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/tenon-go/tenon/benchmarks/result"
	"github.com/tenon-go/tenon/internal/machine"
)

// patience is what one measurement may take before it counts as hung.
const patience = time.Minute

// A plan is what to measure: in each round and for each size all yardsticks, one
// after the other, so that whatever slows the machine down for a while hits them
// all.
type plan struct {
	yardsticks []yardstick
	sizes      []int
	rounds     int
	each       time.Duration
	watch      time.Duration // how long to look at the idle machine before
}

func (p plan) run(ctx context.Context) (*result.RingRun, error) {
	results := &result.RingRun{
		Taken:   time.Now().UTC().Truncate(time.Second),
		Machine: machine.Here(),
		Rounds:  p.rounds,
		EachMS:  p.each.Milliseconds(),
		Sizes:   p.sizes,
	}
	before := machine.StartWatch()
	select {
	case <-time.After(p.watch):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	results.Load.Before = before.Others()

	rates := make([][]float64, len(p.yardsticks)) // the last ones, by yardstick and size
	for i, y := range p.yardsticks {
		entry := result.Yardstick{Name: y.name, About: y.about, Kind: y.kind, Version: y.version}
		if y.missing != nil {
			entry.Version, entry.Missing = "", y.missing.Error()
			fmt.Fprintf(os.Stderr, "%s is left out: %s\n", y.name, entry.Missing)
		}
		results.Yardsticks = append(results.Yardsticks, entry)
		rates[i] = make([]float64, len(p.sizes))
	}
	during := machine.StartWatch()
	// Round 0 finds out how many messages fill the time, and is not kept.
	for round := range p.rounds + 1 {
		for column, size := range p.sizes {
			fmt.Fprintf(os.Stderr, "round %d of %d, %d bytes\n", round, p.rounds, size)
			for _, i := range order(round+column, len(p.yardsticks)) {
				into := &results.Yardsticks[i]
				if into.Missing != "" || into.Failure != "" {
					continue
				}
				rate, err := p.measure(ctx, p.yardsticks[i], size, rates[i][column])
				switch {
				case ctx.Err() != nil:
					return nil, ctx.Err()
				case err != nil:
					into.Failure = fmt.Sprintf("round %d, %d bytes: %v", round, size, err)
				default:
					rates[i][column] = rate
				}
			}
		}
		for i := range results.Yardsticks {
			into := &results.Yardsticks[i]
			if round > 0 && into.Missing == "" && into.Failure == "" {
				into.Rounds = append(into.Rounds, slices.Clone(rates[i]))
			}
		}
	}
	results.Load.During = during.Others()
	return results, nil
}

// measure returns messages per second. It writes as many as fill the time at the
// rate that was measured last; without one, few.
func (p plan) measure(ctx context.Context, y yardstick, size int, last float64) (float64, error) {
	messages := last * p.each.Seconds()
	if last == 0 {
		// A tenth of the time at 20 ns for a message and 10 GB/s.
		messages = p.each.Seconds() / 10 / (20e-9 + float64(size)*0.1e-9)
	}
	w := newWork(max(1, int(messages)), size)
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("nothing after %v", patience))
	defer cancel()
	took, err := y.measure(ctx, w)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return 0, err
	}
	return float64(w.timed) / took.Seconds(), nil
}

// order turns around every other time, so that nobody always follows the same
// one.
func order(turn, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	if turn%2 == 1 {
		slices.Reverse(list)
	}
	return list
}
