package main

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/tenon-go/tenon/benchmarks/result"
)

// render is the table of a run for a person.
func render(run *result.RingRun) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleRounded)
	t.Style().Format.Header = text.FormatDefault
	header, columns := table.Row{"M messages/s\n(GiB/s)"}, []table.ColumnConfig{{Number: 1}}
	for i, size := range run.Sizes {
		header = append(header, result.Bytes(size))
		columns = append(columns, table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(columns)
	notes := append([]string{"median over the rounds"}, run.Doubts()...)
	for i := range run.Yardsticks {
		y := &run.Yardsticks[i]
		row := table.Row{y.Name}
		for column, size := range run.Sizes {
			cell := ""
			if s, ok := y.Rate(column); ok {
				cell = fmt.Sprintf("%s\n(%s)", result.Format(s.Median/1e6), result.Format(result.GiB(s.Median, size)))
			}
			row = append(row, cell)
		}
		t.AppendRow(row)
		if y.Missing != "" {
			notes = append(notes, y.Name+" is left out: "+y.Missing)
		}
	}
	return t.Render() + "\n" + strings.Join(notes, "\n") + "\n"
}
