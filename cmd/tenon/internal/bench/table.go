package bench

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// columns explains the table.
var columns = []struct{ name, about string }{
	{"p50, p99", "half of the calls, or 99 of 100, take no longer"},
	{"per call", "the time of all calls by their number: less than p50 where many run at once"},
	{"CPU, allocs", "CPU time and allocations of both sides together, by the number of calls"},
	{"GB/s", "the size by the time per call"},
	{"ratio", "of p50 to the earlier one, with --compare"},
	{"chance up to", "a ratio up to this the rounds of the two runs explain, since they differ as much"},
}

// Table is the report for a person, beside an earlier one if there is one.
func (r *Report) Table(earlier *Report) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleRounded)
	t.Style().Format.Header = text.FormatDefault
	header := table.Row{"case", "channel", "p50", "p99", "per call", "CPU\nper call", "allocs\nper call", "GB/s"}
	if earlier != nil {
		header = append(header, "earlier\np50", "ratio", "chance\nup to", "")
	}
	t.AppendHeader(header)
	var configs []table.ColumnConfig
	for i := 3; i <= 11; i++ {
		configs = append(configs, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(configs)
	last := ""
	for _, row := range r.Rows {
		name := ""
		if row.Case != last {
			if last != "" {
				t.AppendSeparator()
			}
			name, last = row.Case, row.Case
		}
		cells := table.Row{name, row.Channel, duration(row.P50), duration(row.P99), duration(row.PerCall), cpu(row.CPU), digits(row.Allocs), row.throughput()}
		if earlier != nil {
			if c, ok := changeOf(row, earlier); ok {
				cells = append(cells, duration(c.before), digits(c.ratio), digits(1+c.beyond), c.word())
			}
		}
		t.AppendRow(cells)
	}
	m := r.Machine
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d CPUs, %s; %s, GOMAXPROCS %d\n%s\n", m.Processor(), m.CPUs, m.System, m.Go, m.GOMAXPROCS, t.Render())
	fmt.Fprintf(&b, "Medians of %d rounds. A look at the clock, part of each time, takes %s.\n", r.rounds, duration(m.ClockNS))
	b.WriteString("p50: half of the calls take no longer; per call: the time of all by their number, less\nwhere many run at once. CPU and allocations are those of both sides together.\n\"tenon bench --help\" explains cases and columns.\n")
	for _, line := range r.LeftOut {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// Warning says why the figures should not be believed, or nothing.
func (r *Report) Warning() string {
	if !r.Busy {
		return ""
	}
	return "This machine is too busy to believe these figures: " + strings.Join(r.Doubts, "; ") + ".\n"
}

func (r Row) throughput() string {
	if r.job.test.size == 0 {
		return ""
	}
	return digits(float64(r.job.test.size) / r.PerCall)
}

func cpu(nanos float64) string {
	if nanos <= 0 {
		return ""
	}
	return duration(nanos)
}

// duration writes nanoseconds with three digits and a unit that fits.
func duration(nanos float64) string {
	switch {
	case nanos < 1e3:
		return strconv.FormatFloat(nanos, 'f', 0, 64) + " ns"
	case nanos < 1e6:
		return digits(nanos/1e3) + " µs"
	case nanos < 1e9:
		return digits(nanos/1e6) + " ms"
	}
	return digits(nanos/1e9) + " s"
}

// digits writes three significant digits, less where they say nothing.
func digits(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v < 0.005:
		return "0"
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
