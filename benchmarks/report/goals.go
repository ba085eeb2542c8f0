package main

import (
	"fmt"

	"github.com/tenon-go/tenon/benchmarks/result"
)

// goals says which of the ratios and figures that are aimed at were reached.
func goals(run, streamed *result.Run) string {
	named := run.Peer
	add, together := figureOf(result.Figures, "add p50"), figureOf(result.Figures, "64 callers, per call")
	shared, socket, bare := run.Reference(), named("tenon unix"), named("bare")
	rows := [][]string{{"what", "goal", "median", "least", "greatest", "reached"}}
	// goal compares slow with fast: by how many times fast is faster.
	goal := func(what string, f result.Figure, slow, fast *result.Peer, least, most float64) {
		if slow == nil || fast == nil {
			return
		}
		if s, ok := f.Ratio(slow, fast); ok {
			rows = append(rows, aim(what, "", s, least, most))
		}
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
	text := ""
	if len(rows) > 1 {
		text += "\nTimes of the one divided by those of the other, in the same round.\n\n" + markdown(rows)
	}
	if rows := absoluteGoals(run); len(rows) > 1 {
		text += `
Figures themselves. These goals were set on a machine of two faster processors (Sapphire
Rapids). An add took 16 to 22 µs there with frames by hand, 29 with net/rpc and 106 with
grpc; by hand, 1 MiB went at 2.4 GB/s, and 4.9 million small items a second. See
[PERFORMANCE.md](PERFORMANCE.md) for what lies between a goal and what was reached.

` + markdown(rows)
	}
	if rows := streamGoals(streamed); len(rows) > 1 {
		text += "\nFigures of [streams](#streams), and ratios of their times in the same round.\n\n" + markdown(rows)
	}
	if text == "" {
		return ""
	}
	return "\n## Goals\n" + text
}

// absoluteGoals are those of a time, or of bytes per second.
func absoluteGoals(run *result.Run) [][]string {
	rows := [][]string{{"what", "goal", "median", "least", "greatest", "reached"}}
	goal := func(name, figure string, least, most float64) {
		p, f := run.Peer(name), figureOf(result.Figures, figure)
		if p == nil {
			return
		}
		if s, ok := f.Of(p); ok {
			rows = append(rows, aim(name+", "+figure, " "+f.Unit, s, least, most))
		}
	}
	const gib = 1.0737 // GB
	goal("tenon shm", "add p50", 0, 1)
	goal("tenon shm", "add p99", 0, 2)
	goal("tenon shm", "user p50", 0, 2.2)
	goal("tenon shm", "100 users p50", 0, 30)
	goal("tenon shm", "64 callers, per call", 0, 0.6)
	goal("tenon shm", "64 started, per call", 0, 0.15)
	goal("tenon shm", "1 MiB", 9*gib, 0)
	goal("tenon shm", "16 MiB", 8*gib, 0)
	goal("tenon shm", "start", 0, 4)
	goal("tenon shm sleeping", "add p50", 0, 16)
	goal("tenon pipe", "add p50", 0, 16)
	goal("tenon unix", "add p50", 0, 16)
	goal("tenon tcp", "add p50", 0, 18)
	goal("tenon unix", "64 callers, per call", 0, 2.5)
	return rows
}

func streamGoals(run *result.Run) [][]string {
	rows := [][]string{{"what", "goal", "median", "least", "greatest", "reached"}}
	if run == nil || run.Reference() == nil {
		return rows
	}
	ours := run.Reference()
	goal := func(what, figure string, least, most float64) {
		f := figureOf(result.StreamFigures, figure)
		if s, ok := f.Of(ours); ok {
			unit := ""
			if f.Unit != "" {
				unit = " " + f.Unit
			}
			rows = append(rows, aim(ours.Name+", "+what, unit, s, least, most))
		}
	}
	goal("small items out", "items out", 10, 0)
	goal("small items in", "items in", 10, 0)
	goal("call and call back", "call and call back p50", 0, 4)
	goal("call and function", "call and function p50", 0, 4)
	goal("add beside an unread stream : add alone", "add beside an unread : alone", 0, 1.15)
	goal("add beside 64 MiB, p99", "add beside 64 MiB p99", 0, 1000)
	out := figureOf(result.StreamFigures, "items out")
	for _, name := range []string{"tenon unix", "tenon pipe", "tenon tcp"} {
		p, bare := run.Peer(name), run.Peer("bare")
		if p == nil || bare == nil {
			continue
		}
		if s, ok := out.Ratio(p, bare); ok {
			rows = append(rows, aim(name+" : bare, small items out", "", s, 0, 1.15))
		}
	}
	return rows
}

// aim is the row of a goal: at least so much, or at most if that is not 0.
func aim(what, unit string, s result.Spread, least, most float64) []string {
	wanted, reached := fmt.Sprintf("%.3g%s or more", least, unit), s.Median >= least
	if most > 0 {
		wanted, reached = fmt.Sprintf("%.4g%s or less", most, unit), s.Median <= most
	}
	answer := "yes"
	if !reached {
		answer = "no"
	}
	return []string{what, wanted, result.Format(s.Median), result.Format(s.Min), result.Format(s.Max), answer}
}

func figureOf(figures []result.Figure, title string) result.Figure {
	for _, f := range figures {
		if f.Title == title {
			return f
		}
	}
	panic("there is no figure " + title)
}
