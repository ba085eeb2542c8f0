package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/tenon-go/tenon/benchmarks/result"
	"github.com/tenon-go/tenon/internal/machine"
)

// patience is what one child may take before it counts as hung.
const patience = time.Minute

// A plan is what to measure.
type plan struct {
	scenarios []scenario
	counts    []int // of idle connections
	sizes     []int
	rounds    int
	each      time.Duration
	watch     time.Duration // how long to look at the idle machine before
	idle      time.Duration // how long connections lie idle before one looks at them
}

func (p plan) run(ctx context.Context) (*result.PressureRun, error) {
	results := &result.PressureRun{
		Taken:   time.Now().UTC().Truncate(time.Second),
		Machine: machine.Here(),
		Rounds:  p.rounds,
		EachMS:  p.each.Milliseconds(),
	}
	before := machine.StartWatch()
	select {
	case <-time.After(p.watch):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	results.Load.Before = before.Others()
	during := machine.StartWatch()
	for _, step := range []func(context.Context, *result.PressureRun) error{p.duels, p.transfers, p.connections} {
		if err := step(ctx, results); err != nil {
			return nil, err
		}
	}
	results.Load.During = during.Others()
	return results, nil
}

// duels has polling and no polling take turns, in every second round the other
// way round.
func (p plan) duels(ctx context.Context, results *result.PressureRun) error {
	for _, s := range p.scenarios {
		results.Duels = append(results.Duels, result.Duel{Group: s.group, Name: s.name})
	}
	for round := range p.rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d: %d scenarios, polling and not\n", round+1, p.rounds, len(p.scenarios))
		for i, s := range p.scenarios {
			into := &results.Duels[i]
			if into.Missing != "" {
				continue
			}
			s.order.EachMS = milliseconds(p.each) * float64(max(1, s.times))
			var r result.DuelRound
			sides := []struct {
				polling bool
				cost    *result.Cost
			}{{true, &r.Polling}, {false, &r.Sleeping}}
			if round%2 == 1 {
				sides[0], sides[1] = sides[1], sides[0]
			}
			for _, side := range sides {
				s.order.Polling = side.polling
				if err := s.room.carryOut(ctx, s.order, side.cost); err != nil {
					if ctx.Err() != nil {
						return ctx.Err()
					}
					into.Missing = err.Error()
					fmt.Fprintf(os.Stderr, "%s is left out: %v\n", s.name, err)
					break
				}
			}
			if into.Missing == "" {
				into.Rounds = append(into.Rounds, r)
			}
		}
	}
	return nil
}

func (p plan) connections(ctx context.Context, results *result.PressureRun) error {
	for _, n := range p.counts {
		fmt.Fprintf(os.Stderr, "%d idle connections\n", n)
		c := result.Connections{Count: n}
		o := order{Kind: "connections", EachMS: milliseconds(p.idle) / 2, Polling: true, Connections: n, IdleMS: milliseconds(p.idle)}
		if err := (room{}).carryOut(ctx, o, &c); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			c.Failure = err.Error()
		}
		results.Connections = append(results.Connections, c)
	}
	return nil
}

func (p plan) transfers(ctx context.Context, results *result.PressureRun) error {
	for _, link := range links {
		results.Transfers = append(results.Transfers, result.Transfer{Link: link, Sizes: p.sizes})
	}
	for round := range min(3, p.rounds) {
		fmt.Fprintf(os.Stderr, "round %d: arguments of up to %s\n", round+1, result.Bytes(p.sizes[len(p.sizes)-1]))
		for i, link := range links {
			var times []float64
			o := order{Kind: "transfer", EachMS: milliseconds(p.each) / 4, Link: link, Sizes: p.sizes}
			if err := (room{}).carryOut(ctx, o, &times); err != nil {
				return fmt.Errorf("%s: %w", link, err)
			}
			results.Transfers[i].Rounds = append(results.Transfers[i].Rounds, times)
		}
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// carryOut has a child carry an order out within the room.
func (r room) carryOut(ctx context.Context, o order, into any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %v", patience))
	defer cancel()
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, exe, childArg, string(text))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = 5 * time.Second
	gate, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if r.procs > 0 {
		cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", r.procs))
	}
	leave, err := r.enter(ctx, cmd)
	if err != nil {
		gate.Close()
		return err
	}
	defer leave()
	io.WriteString(gate, "\n")
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return errors.New(strings.TrimSpace(errs.String() + " " + err.Error()))
	}
	return json.Unmarshal(out.Bytes(), into)
}

// enter starts the child, which waits at its gate, within the room. leave clears
// the room up when the child has ended.
func (r room) enter(ctx context.Context, cmd *exec.Cmd) (leave func(), err error) {
	leave = func() {}
	switch {
	case r.rival:
		return r.share(ctx, cmd)
	case r.half:
		q, err := newQuota()
		if err != nil {
			return r.share(ctx, cmd)
		}
		if err := cmd.Start(); err != nil {
			q.remove()
			return nil, err
		}
		leave = q.remove
		if err := q.add(cmd.Process.Pid); err != nil {
			abandon(cmd)
			leave()
			return nil, err
		}
		return leave, nil
	case r.oneOf:
		return leave, startOn(cmd)
	}
	return leave, cmd.Start()
}

// share gives the child one CPU that a process which computes has too: about
// half of it.
func (r room) share(ctx context.Context, cmd *exec.Cmd) (leave func(), err error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	rival := exec.CommandContext(ctx, exe, rivalArg)
	input, err := rival.StdinPipe() // it ends with its input
	if err != nil {
		return nil, err
	}
	if err := startOn(rival); err != nil {
		input.Close()
		return nil, err
	}
	leave = func() {
		input.Close()
		_ = rival.Wait()
	}
	if err := startOn(cmd); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

func abandon(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}
