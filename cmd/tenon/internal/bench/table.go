package bench

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Table is the report for a person, beside an earlier one if there is one.
func (r *Report) Table(earlier *Report) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleRounded)
	t.Style().Format.Header = text.FormatDefault
	header := table.Row{"case", "channel", "p50", "p99", "per call", "CPU\nper call", "allocs\nper call", "GB/s"}
	if earlier != nil {
		header = append(header, "earlier\np50", "ratio", "")
	}
	t.AppendHeader(header)
	var columns []table.ColumnConfig
	for i := 3; i <= 10; i++ {
		columns = append(columns, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
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
				cells = append(cells, duration(c.before), digits(c.ratio), c.word())
			}
		}
		t.AppendRow(cells)
	}
	m := r.Machine
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d CPUs, %s; %s, GOMAXPROCS %d\n%s\n", m.Processor(), m.CPUs, m.System, m.Go, m.GOMAXPROCS, t.Render())
	b.WriteString("Median over the rounds. CPU and allocations are those of both sides together.\nA look at the clock, part of each time, takes " + duration(m.ClockNS) + ". \"tenon bench --help\" explains the cases.\n")
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
