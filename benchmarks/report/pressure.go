package main

import (
	"fmt"
	"strings"

	"github.com/tenon-go/tenon/benchmarks/result"
)

// mayLose is how many times as long a call may take because sides poll.
const mayLose = 1.1

// pressure is the part about machines that have other things to do.
func pressure(run *result.PressureRun, plotted bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, `
## Under pressure

Shared memory where the machine has other things to do, or much of the same. Run it
on yours: `+"`go run ./benchmarks/pressure`"+`.

Taken on %s: %s, %d CPUs, %s; %s, GOMAXPROCS %d.
%d rounds, about %d ms per figure and round. %s
`, run.Taken.Format("2 January 2006"), run.Machine.Processor(), run.Machine.CPUs, run.Machine.System, run.Machine.Go, run.Machine.GOMAXPROCS,
		run.Rounds, run.EachMS, load(run.Load))
	if doubts := run.Doubts(); doubts != nil {
		b.WriteString("\n> **Read these figures with doubt.** " + strings.Join(doubts, "\n> ") + "\n")
	}
	b.WriteString(duels(run))
	b.WriteString(transfers(run))
	b.WriteString(picture(plotted, "Bytes per second over the size of the argument", sizePlot))
	b.WriteString(connections(run))
	return b.String()
}

func duels(run *result.PressureRun) string {
	rows := [][]string{{"add, per call", "polling, µs", "sleeping, µs", "polling : sleeping", "p99 polling", "p99 sleeping", "CPU polling", "CPU sleeping"}}
	var lost, notes []string
	for i := range run.Duels {
		d := &run.Duels[i]
		if d.Missing != "" {
			notes = append(notes, fmt.Sprintf("%s was left out: %s.", d.Name, d.Missing))
			continue
		}
		micros := func(get func(result.DuelRound) float64) string {
			s, _ := d.Of(get)
			return result.Format(s.Median / 1e3)
		}
		ratio, ok := d.Lost()
		if !ok {
			continue
		}
		if ratio.Median > mayLose {
			lost = append(lost, d.Name)
		}
		rows = append(rows, []string{
			d.Name,
			micros(func(r result.DuelRound) float64 { return r.Polling.PerCall }),
			micros(func(r result.DuelRound) float64 { return r.Sleeping.PerCall }),
			fmt.Sprintf("%s (%s – %s)", result.Format(ratio.Median), result.Format(ratio.Min), result.Format(ratio.Max)),
			micros(func(r result.DuelRound) float64 { return r.Polling.P99 }),
			micros(func(r result.DuelRound) float64 { return r.Sleeping.P99 }),
			micros(func(r result.DuelRound) float64 { return r.Polling.CPU }),
			micros(func(r result.DuelRound) float64 { return r.Sleeping.CPU }),
		})
	}
	verdict := "Nowhere did polling lose more than 10 % in the median."
	if lost != nil {
		verdict = "Polling lost more than 10 % in the median with: " + strings.Join(lost, "; ") + "."
	}
	notes = append([]string{verdict}, notes...)
	return `
### Polling beside no polling

Connections that poll as they do by default, and connections with WithPolling(0), in
turns. What the whole took divided by the calls; a ratio below 1 says that polling
won. CPU is that of both processes per call, without the busy goroutines only where
there are none.

` + markdown(rows) + "\n" + strings.Join(notes, "\n") + "\n"
}

func transfers(run *result.PressureRun) string {
	if len(run.Transfers) == 0 {
		return ""
	}
	header := []string{"argument"}
	for _, t := range run.Transfers {
		header = append(header, t.Link+", µs", "ns per byte")
	}
	rows := [][]string{header}
	for column, size := range run.Transfers[0].Sizes {
		row := []string{result.Bytes(size)}
		for i := range run.Transfers {
			s, ok := run.Transfers[i].Time(column)
			if !ok {
				row = append(row, "", "")
				continue
			}
			perByte := ""
			if size > 0 {
				perByte = result.Format(s.Median / float64(size))
			}
			row = append(row, result.Format(s.Median/1e3), perByte)
		}
		rows = append(rows, row)
	}
	var rises strings.Builder
	for i := range run.Transfers {
		t := &run.Transfers[i]
		if from, to, times := greatestRise(t); times > 1 {
			fmt.Fprintf(&rises, "- %s: %s times, from %s to %s\n", t.Link, result.Format(times), result.Bytes(from), result.Bytes(to))
		} else {
			fmt.Fprintf(&rises, "- %s: never\n", t.Link)
		}
	}
	return `
### Time per byte

Calls with an argument of a size, answered by its length; the median of the rounds.

` + markdown(rows) + "\nWhere a size costs more per byte than the one before, at most:\n\n" + rises.String()
}

// greatestRise finds the size whose byte costs the most times what a byte of the
// size before costs.
func greatestRise(t *result.Transfer) (from, to int, times float64) {
	for column := 1; column < len(t.Sizes); column++ {
		before, ok1 := t.Time(column - 1)
		now, ok2 := t.Time(column)
		if t.Sizes[column-1] == 0 || !ok1 || !ok2 {
			continue
		}
		if rise := now.Median / float64(t.Sizes[column]) * float64(t.Sizes[column-1]) / before.Median; rise > times {
			from, to, times = t.Sizes[column-1], t.Sizes[column], rise
		}
	}
	return from, to, times
}

func connections(run *result.PressureRun) string {
	rows := [][]string{{"connections", "CPUs busy", "heap", "caller's memory", "server's memory", "shared memory", "threads", "threads without"}}
	var failures strings.Builder
	for _, c := range run.Connections {
		if c.Failure != "" {
			fmt.Fprintf(&failures, "\n%d connections were not measured: %s.\n", c.Count, c.Failure)
			continue
		}
		kib := func(v float64) string { return fmt.Sprintf("%.1f", max(0, v/1024)) }
		rows = append(rows, []string{
			fmt.Sprint(c.Count), fmt.Sprintf("%.4f", c.CPU), kib(c.Heap), kib(c.Client), kib(c.Server), kib(c.Shared), fmt.Sprint(c.Threads), fmt.Sprint(c.None),
		})
	}
	return `
### Idle connections

Connections between two processes that have each carried a call and then nothing for
two seconds. Memory is in KiB per connection: heap and stacks of the caller, memory of
either process alone, and what was touched of the memory that both see. Threads are
those of both processes; the runtime keeps those it once had.

` + markdown(rows) + failures.String()
}
