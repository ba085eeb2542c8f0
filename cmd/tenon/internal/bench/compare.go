package bench

import (
	"fmt"
	"strings"
)

// noise is the least change, as a share, that is worth a word: less is chance
// on any machine.
const noise = 0.1

// A change is how a row differs from that of an earlier report.
type change struct {
	before float64 // p50 in nanoseconds
	ratio  float64 // this p50 to that: above 1 it got slower
	beyond float64 // a ratio above 1+beyond, or below its inverse, is no chance
}

// changeOf compares p50 with p50. Chance explains as much as the rounds of both
// reports lie apart.
func changeOf(row Row, earlier *Report) (change, bool) {
	old, ok := earlier.row(row.Channel, row.Case)
	if !ok || old.P50 <= 0 {
		return change{}, false
	}
	return change{before: old.P50, ratio: row.P50 / old.P50, beyond: max(noise, row.Spread+old.Spread)}, true
}

// word says what the change is: slower, faster, or nothing.
func (c change) word() string {
	switch {
	case c.ratio > 1+c.beyond:
		return "SLOWER"
	case c.ratio < 1/(1+c.beyond):
		return "faster"
	}
	return ""
}

// CheckCompare says whether the plan measures something that is in the report.
func (p Plan) CheckCompare(earlier *Report) error {
	for _, j := range p.jobs() {
		if _, ok := earlier.row(j.channel.name, j.test.name); ok {
			return nil
		}
	}
	first := earlier.Rows[0]
	return fmt.Errorf("there is nothing to compare: of its %d rows (%s over %s and so on) none is measured now", len(earlier.Rows), first.Case, first.Channel)
}

// Compare says in a few lines how the report differs from an earlier one.
func (r *Report) Compare(earlier *Report) string {
	var b strings.Builder
	slower, faster, compared := 0, 0, 0
	var lines strings.Builder
	for _, row := range r.Rows {
		c, ok := changeOf(row, earlier)
		if !ok {
			continue
		}
		compared++
		switch c.word() {
		case "SLOWER":
			slower++
			ratio, chance := fmt.Sprintf("%.2f", c.ratio), fmt.Sprintf("%.2f", 1+c.beyond)
			if ratio == chance {
				ratio, chance = fmt.Sprintf("%.4f", c.ratio), fmt.Sprintf("%.4f", 1+c.beyond)
			}
			fmt.Fprintf(&lines, "  SLOWER  %s over %s: %s, was %s (%s times; chance explains %s)\n",
				row.Case, row.Channel, duration(row.P50), duration(c.before), ratio, chance)
		case "faster":
			faster++
		}
	}
	fmt.Fprintf(&b, "Compared with the earlier run: %d of %d rows slower beyond the spread, %d faster.\n", slower, compared, faster)
	b.WriteString(lines.String())
	if len(r.Rows) > compared {
		fmt.Fprintf(&b, "%d rows have nothing to be compared with there.\n", len(r.Rows)-compared)
	}
	if earlier.Busy {
		b.WriteString("The earlier run was made on a busy machine: do not believe the comparison.\n")
	}
	if earlier.Machine.CPU != r.Machine.CPU || earlier.Machine.CPUs != r.Machine.CPUs || earlier.Machine.GOMAXPROCS != r.Machine.GOMAXPROCS {
		fmt.Fprintf(&b, "The earlier run was made on another machine: %s, %d CPUs, GOMAXPROCS %d.\n",
			earlier.Machine.Processor(), earlier.Machine.CPUs, earlier.Machine.GOMAXPROCS)
	}
	return b.String()
}
