package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/tenon-go/tenon/benchmarks/peers/peer"
	"github.com/tenon-go/tenon/benchmarks/result"
	"github.com/tenon-go/tenon/internal/machine"
)

// A plan is what to measure: in each round all peers, one after the other, so
// that whatever slows the machine down for a while hits them all.
type plan struct {
	peers   []peer.Peer
	rounds  int
	each    time.Duration
	measure func(context.Context, peer.Peer, time.Duration) (result.Round, error)
	figures []result.Figure
}

func (p plan) run(ctx context.Context) (*result.Run, error) {
	results := &result.Run{
		Taken:   time.Now().UTC().Truncate(time.Second),
		Machine: machine.Here(),
		Rounds:  p.rounds,
		EachMS:  p.each.Milliseconds(),
	}
	before := machine.StartWatch()
	if !sleep(ctx, time.Second) {
		return nil, ctx.Err()
	}
	results.Load.Before = before.Others()
	for _, one := range p.peers {
		info := one.Info()
		results.Peers = append(results.Peers, result.Peer{
			Name: info.Name, About: info.About, Kind: string(info.Kind), Version: versionOf(info.Module),
		})
	}

	view := newView(results, p.figures, p.rounds*len(p.peers))
	during := machine.StartWatch()
	for round := range p.rounds {
		for _, i := range order(round, len(p.peers)) {
			into := &results.Peers[i]
			if into.Failure != "" {
				continue
			}
			view.begin(round, into.Name)
			measured, err := p.measure(ctx, p.peers[i], p.each)
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil:
				into.Failure = fmt.Sprintf("round %d: %v", round+1, err)
			default:
				into.Rounds = append(into.Rounds, measured)
			}
			results.Load.During = during.Others()
		}
	}
	view.finish()
	return results, nil
}

// order turns around from round to round, so that nobody always follows the
// same one.
func order(round, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	if round%2 == 1 {
		slices.Reverse(list)
	}
	return list
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// versionOf is the version of a module in this program.
func versionOf(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok || module == "" {
		return ""
	}
	for _, dep := range info.Deps {
		if dep.Path == module {
			return dep.Version
		}
	}
	return ""
}
