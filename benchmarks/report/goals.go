package main

import (
	"fmt"

	"github.com/tenon-go/tenon/benchmarks/result"
)

// goals says which of the ratios that are aimed at were reached.
func goals(run *result.Run) string {
	named := func(name string) *result.Peer {
		for i := range run.Peers {
			if run.Peers[i].Name == name {
				return &run.Peers[i]
			}
		}
		return nil
	}
	add, together := figureOf("add p50"), figureOf("64 callers, per call")
	shared, socket, bare := run.Reference(), named("tenon unix"), named("bare")
	rows := [][]string{{"what", "goal", "median", "least", "greatest", "reached"}}
	// goal compares slow with fast: by how many times fast is faster.
	goal := func(what string, f result.Figure, slow, fast *result.Peer, least, most float64) {
		if slow == nil || fast == nil {
			return
		}
		s, ok := f.Ratio(slow, fast)
		if !ok {
			return
		}
		wanted, reached := fmt.Sprintf("%g or more", least), s.Median >= least
		if most > 0 {
			wanted, reached = fmt.Sprintf("%g or less", most), s.Median <= most
		}
		answer := "yes"
		if !reached {
			answer = "no"
		}
		rows = append(rows, []string{what, wanted, result.Format(s.Median), result.Format(s.Min), result.Format(s.Max), answer})
	}
	goal("tenon unix : tenon shm, add", add, socket, shared, 5, 0)
	if fastest := fastestPeer(run, add); fastest != nil {
		goal(fastest.Name+", the fastest of the peers : tenon shm, add", add, fastest, shared, 20, 0)
	}
	goal("grpc : tenon shm, add", add, named("grpc"), shared, 70, 0)
	for _, name := range []string{"tenon unix", "tenon pipe", "tenon tcp"} {
		goal(name+" : bare, add", add, named(name), bare, 0, 1.15)
	}
	goal("tenon unix : bare, 64 callers", together, socket, bare, 0, 1.15)
	if len(rows) == 1 {
		return ""
	}
	return "\n## Goals\n\nTimes of the one divided by those of the other, in the same round.\n\n" + markdown(rows)
}

func figureOf(title string) result.Figure {
	for _, f := range result.Figures {
		if f.Title == title {
			return f
		}
	}
	panic("there is no figure " + title)
}
