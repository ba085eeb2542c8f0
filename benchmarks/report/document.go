package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tenon-go/tenon/benchmarks/result"
)

// document is the part about calls, with which BENCHMARKS.md begins.
func document(run, streamed *result.Run, plotted bool) string {
	var b strings.Builder
	b.WriteString(`# Benchmarks

<!-- Made by make report from benchmarks/results.json. Do not edit. -->

What a call costs with tenon and with what one would use instead, measured in one
run on one machine. Run it on yours: ` + "`go run ./benchmarks`" + `.

`)
	fmt.Fprintf(&b, "Taken on %s: %s, %d CPUs, %s; %s, GOMAXPROCS %d.\n",
		run.Taken.Format("2 January 2006"), run.Machine.Processor(), run.Machine.CPUs, run.Machine.System, run.Machine.Go, run.Machine.GOMAXPROCS)
	fmt.Fprintf(&b, "%d rounds, about %d ms per figure, peer and round. %s\n", run.Rounds, run.EachMS, load(run.Load))
	if doubts := run.Doubts(); doubts != nil {
		b.WriteString("\n> **Read these figures with doubt.** " + strings.Join(doubts, "\n> ") + "\n")
	}

	b.WriteString(summary(run))
	b.WriteString(goals(run, streamed))
	b.WriteString(`
## Figures

Median over the rounds. Times are in microseconds unless said otherwise.

`)
	b.WriteString(figures(run, result.Figures))
	b.WriteString(`
- **add**: ` + "`Add(a, b int64) int64`" + ` called by one goroutine, one call after the other.
- **user**: one object of eight fields, about 90 bytes, there and back. **100 users**: a
  list of them back.
- **64 callers**: 64 goroutines call add at once; the time that passes per call.
  **64 started**: one goroutine starts 64 adds and then waits for them.
- **CPU**: what both sides together work per add of a lone caller, polling included.
- **allocs**: allocations per add in the calling process; in both sides where they
  are one process.
- **1 MiB, 16 MiB**: an argument of that size; 1 GB/s is 10⁹ bytes per second.
- **start**: from starting the other process until it has answered the first call.
`)
	b.WriteString(picture(plotted, "Which share of the calls took at most how long", latencyPlot))

	if reference := run.Reference(); reference != nil {
		fmt.Fprintf(&b, `
## Compared with %s

How many times as good %s was in the same round: how many times as fast, or
for uploads as much. Median over the rounds, and from the least to the greatest.

`, reference.Name, reference.Name)
		b.WriteString(ratios(run, reference, compared(result.Figures)))
	}

	b.WriteString(`
## From round to round

The least and the greatest of the rounds: how far the figures above can be
trusted.

`)
	b.WriteString(spreads(run, timed(result.Figures)))
	b.WriteString(peers(run))
	b.WriteString(method(run))
	return b.String()
}

func load(l result.Load) string {
	if l.Before < 0 || l.During < 0 {
		return "How busy other programs kept the machine is not known on this system."
	}
	return fmt.Sprintf("Other programs kept %.2f CPUs busy before the run and %.2f during it.", l.Before, l.During)
}

func figures(run *result.Run, columns []result.Figure) string {
	return perPeer(run, columns, func(f result.Figure, p *result.Peer) string {
		s, ok := f.Of(p)
		if !ok {
			return ""
		}
		return result.Format(s.Median)
	})
}

func spreads(run *result.Run, columns []result.Figure) string {
	return perPeer(run, columns, func(f result.Figure, p *result.Peer) string {
		s, ok := f.Of(p)
		if !ok {
			return ""
		}
		return result.Format(s.Min) + " – " + result.Format(s.Max)
	})
}

func ratios(run *result.Run, reference *result.Peer, columns []result.Figure) string {
	return perPeer(run, columns, func(f result.Figure, p *result.Peer) string {
		s, ok := f.Ratio(p, reference)
		switch {
		case !ok:
			return ""
		case p == reference:
			return "1"
		}
		return fmt.Sprintf("%s (%s – %s)", result.Format(s.Median), result.Format(s.Min), result.Format(s.Max))
	})
}

// timed are the figures that depend on the machine.
func timed(figures []result.Figure) []result.Figure {
	var list []result.Figure
	for _, f := range figures {
		if f.Unit != "" {
			list = append(list, f)
		}
	}
	return list
}

// compared are the figures worth a ratio.
func compared(figures []result.Figure) []result.Figure {
	return slices.DeleteFunc(timed(figures), func(f result.Figure) bool { return f.Detail })
}

// perPeer leaves columns out in which nothing was measured.
func perPeer(run *result.Run, columns []result.Figure, cell func(result.Figure, *result.Peer) string) string {
	columns = slices.DeleteFunc(slices.Clone(columns), func(f result.Figure) bool {
		for i := range run.Peers {
			if cell(f, &run.Peers[i]) != "" {
				return false
			}
		}
		return true
	})
	header := []string{"peer"}
	for _, f := range columns {
		title := f.Title
		if f.Unit != "µs" && f.Unit != "" {
			title += ", " + f.Unit
		}
		header = append(header, title)
	}
	rows := [][]string{header}
	for i := range run.Peers {
		p := &run.Peers[i]
		name := p.Name
		if p.Kind == "ours" {
			name = "**" + name + "**"
		}
		row := []string{name}
		for _, f := range columns {
			row = append(row, cell(f, p))
		}
		rows = append(rows, row)
	}
	return markdown(rows)
}
