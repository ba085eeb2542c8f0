package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"github.com/tenon-go/tenon/benchmarks/result"
)

// A view shows a run to a person: on a terminal that is wide enough the table as
// it grows, elsewhere lines of progress on the standard error and the table at
// the end.
type view struct {
	results     *result.Run
	figures     []result.Figure
	done, total int
	terminal    bool // which shows the table as it grows
	lines       int  // of the table on the terminal
}

func newView(results *result.Run, figures []result.Figure, total int) *view {
	v := &view{results: results, figures: figures, total: total}
	// A line that the terminal breaks would put the cursor into the wrong one.
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	v.terminal = err == nil && width > text.LongestLineLen(render(results, figures))
	return v
}

func (v *view) begin(round int, name string) {
	v.done++
	status := fmt.Sprintf("%3d of %d: round %d, %s", v.done, v.total, round+1, name)
	if v.terminal {
		v.draw(status)
	} else {
		fmt.Fprintln(os.Stderr, status)
	}
}

func (v *view) finish() {
	v.draw(strings.Join(append([]string{"median over the rounds"}, v.results.Doubts()...), "\n"))
}

func (v *view) draw(caption string) {
	if v.lines > 0 {
		fmt.Printf("\x1b[%dA\x1b[J", v.lines)
	}
	out := render(v.results, v.figures) + "\n" + caption + "\n"
	fmt.Print(out)
	if v.terminal {
		v.lines = strings.Count(out, "\n")
	}
}

func render(results *result.Run, figures []result.Figure) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleRounded)
	t.Style().Format.Header = text.FormatDefault
	header := table.Row{"peer"}
	for _, f := range figures {
		header = append(header, strings.ReplaceAll(f.Title, ", ", "\n")+"\n"+f.Unit)
	}
	t.AppendHeader(header)
	columns := []table.ColumnConfig{{Number: 1}}
	for i := range figures {
		columns = append(columns, table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	kind := ""
	for i := range results.Peers {
		p := &results.Peers[i]
		if kind != "" && p.Kind != kind {
			t.AppendSeparator()
		}
		kind = p.Kind
		row := table.Row{p.Name}
		for _, f := range figures {
			cell := ""
			if s, ok := f.Of(p); ok {
				cell = result.Format(s.Median)
			}
			row = append(row, cell)
		}
		t.AppendRow(row)
	}
	return t.Render()
}
