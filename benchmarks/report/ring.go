package main

import (
	"fmt"
	"strings"

	"github.com/tenon-go/tenon/benchmarks/result"
)

// ring is the part about the ring alone.
func ring(run *result.RingRun, plotted bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, `
## The ring alone

Messages from one process to another, without calls: what `+"`package ring`"+` carries,
beside yardsticks in the same run. Run it on yours: `+"`go run ./benchmarks/ring`"+`.

Taken on %s: %s, %d CPUs, %s; %s, GOMAXPROCS %d.
%d rounds, about %d ms per figure, size and round. %s
`, run.Taken.Format("2 January 2006"), run.Machine.Processor(), run.Machine.CPUs, run.Machine.System, run.Machine.Go, run.Machine.GOMAXPROCS,
		run.Rounds, run.EachMS, load(run.Load))
	if doubts := run.Doubts(); doubts != nil {
		b.WriteString("\n> **Read these figures with doubt.** " + strings.Join(doubts, "\n> ") + "\n")
	}
	b.WriteString("\nMillions of messages per second, median over the rounds:\n\n")
	b.WriteString(perYardstick(run, func(y *result.Yardstick, column, _ int) string {
		s, ok := y.Rate(column)
		if !ok {
			return ""
		}
		return result.Format(s.Median / 1e6)
	}))
	b.WriteString(picture(plotted, "Messages per second over their size", ringPlot))
	b.WriteString("\nThe same in GiB/s (2³⁰ bytes):\n\n")
	b.WriteString(perYardstick(run, func(y *result.Yardstick, column, size int) string {
		s, ok := y.Rate(column)
		if !ok {
			return ""
		}
		return result.Format(result.GiB(s.Median, size))
	}))
	b.WriteString("\nMillions of messages per second, the least and the greatest of the rounds:\n\n")
	b.WriteString(perYardstick(run, func(y *result.Yardstick, column, _ int) string {
		s, ok := y.Rate(column)
		if !ok {
			return ""
		}
		return result.Format(s.Min/1e6) + " – " + result.Format(s.Max/1e6)
	}))
	if reference := run.Reference(); reference != nil {
		fmt.Fprintf(&b, "\nHow many times as many messages as each %s brought in the same round, median,\nand from the least to the greatest:\n\n", reference.Name)
		b.WriteString(perYardstick(run, func(y *result.Yardstick, column, _ int) string {
			s, ok := y.Ratio(column, reference)
			switch {
			case !ok:
				return ""
			case y == reference:
				return "1"
			}
			return fmt.Sprintf("%s (%s – %s)", result.Format(s.Median), result.Format(s.Min), result.Format(s.Max))
		}))
	}
	b.WriteString("\n" + yardsticks(run))
	b.WriteString(`
- Tenon and C++ are two processes, JavaScript is two threads, the channel is two
  goroutines. All rings hold 8 MiB and publish every 32 messages.
- Copied means from memory of the writer's into the ring and from there into
  memory of the reader's. In place, the message is built and read in the ring, and
  no more of it is touched than its ends: its GiB/s are bytes that changed hands,
  not bytes that moved. JavaScript copies in and reads in place.
- Each message carries its number in its first and last four bytes; the reader
  checks both and the length. A message that is lost, doubled or torn ends the run.
- The reader's clock runs over the middle two thirds of the messages, so that both
  sides are busy and warm. In each round and size all take their turn, one after
  the other, every second time backwards.
- The queue in C++ only polls: it cannot sleep, be closed or survive a hostile
  neighbour. It is the floor, not a peer.
`)
	return b.String()
}

func perYardstick(run *result.RingRun, cell func(y *result.Yardstick, column, size int) string) string {
	header := []string{"queue"}
	for _, size := range run.Sizes {
		header = append(header, result.Bytes(size))
	}
	rows := [][]string{header}
	for i := range run.Yardsticks {
		y := &run.Yardsticks[i]
		if len(y.Rounds) == 0 {
			continue
		}
		name := y.Name
		if y.Kind == "ours" {
			name = "**" + name + "**"
		}
		row := []string{name}
		for column, size := range run.Sizes {
			row = append(row, cell(y, column, size))
		}
		rows = append(rows, row)
	}
	return markdown(rows)
}

func yardsticks(run *result.RingRun) string {
	rows := [][]string{{"queue", "what it is", "version"}}
	var notes strings.Builder
	for _, y := range run.Yardsticks {
		rows = append(rows, []string{y.Name, y.About, y.Version})
		if y.Missing != "" {
			fmt.Fprintf(&notes, "\n%s was left out: %s.\n", y.Name, y.Missing)
		}
		if y.Failure != "" {
			fmt.Fprintf(&notes, "\n%s was not measured to the end: %s.\n", y.Name, y.Failure)
		}
	}
	return markdown(rows) + notes.String()
}
