package main

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/tenon-go/tenon/benchmarks/result"
)

// render is what a run measured, for a person.
func render(run *result.PressureRun) string {
	notes := append([]string{"median over the rounds"}, run.Doubts()...)
	duels := newTable(1, "", "polling\nµs per call", "sleeping\nµs per call", "polling to sleeping\n(least, greatest)", "polling\nCPU µs", "sleeping\nCPU µs")
	group := ""
	for i := range run.Duels {
		d := &run.Duels[i]
		if group != "" && d.Group != group {
			duels.AppendSeparator()
		}
		group = d.Group
		if d.Missing != "" {
			notes = append(notes, d.Name+" is left out: "+d.Missing)
			continue
		}
		micros := func(get func(result.DuelRound) float64) string {
			s, _ := d.Of(get)
			return result.Format(s.Median / 1e3)
		}
		lost, _ := d.Lost()
		duels.AppendRow(table.Row{
			d.Name,
			micros(func(r result.DuelRound) float64 { return r.Polling.PerCall }),
			micros(func(r result.DuelRound) float64 { return r.Sleeping.PerCall }),
			fmt.Sprintf("%s (%s, %s)", result.Format(lost.Median), result.Format(lost.Min), result.Format(lost.Max)),
			micros(func(r result.DuelRound) float64 { return r.Polling.CPU }),
			micros(func(r result.DuelRound) float64 { return r.Sleeping.CPU }),
		})
	}
	idle := newTable(0, "idle\nconnections", "CPUs", "KiB of heap\neach", "KiB, caller\neach", "KiB, server\neach", "KiB shared\neach", "threads", "without")
	for _, c := range run.Connections {
		if c.Failure != "" {
			notes = append(notes, fmt.Sprintf("%d connections: %s", c.Count, c.Failure))
			continue
		}
		kib := func(v float64) string { return fmt.Sprintf("%.1f", v/1024) }
		idle.AppendRow(table.Row{c.Count, fmt.Sprintf("%.4f", c.CPU), kib(c.Heap), kib(c.Client), kib(c.Server), kib(c.Shared), c.Threads, c.None})
	}
	header := []string{"µs per call\n(ns per byte)"}
	for _, t := range run.Transfers {
		header = append(header, t.Link)
	}
	transfers := newTable(0, header...)
	if len(run.Transfers) > 0 {
		for column, size := range run.Transfers[0].Sizes {
			row := table.Row{result.Bytes(size)}
			for i := range run.Transfers {
				s, _ := run.Transfers[i].Time(column)
				cell := result.Format(s.Median / 1e3)
				if size > 0 {
					cell += " (" + result.Format(s.Median/float64(size)) + ")"
				}
				row = append(row, cell)
			}
			transfers.AppendRow(row)
		}
	}
	return strings.Join([]string{duels.Render(), transfers.Render(), idle.Render(), strings.Join(notes, "\n")}, "\n") + "\n"
}

// newTable aligns all columns but the first few to the right.
func newTable(left int, header ...string) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleRounded)
	t.Style().Format.Header = text.FormatDefault
	row := table.Row{}
	var columns []table.ColumnConfig
	for i, title := range header {
		row = append(row, title)
		if i >= left {
			columns = append(columns, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.AppendHeader(row)
	t.SetColumnConfigs(columns)
	return t
}
