package main

import (
	"strings"
	"unicode/utf8"
)

// markdown writes a table whose first row is its header. Columns of figures are
// aligned to the right.
func markdown(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 3)
		}
	}
	right := make([]bool, len(widths))
	for i := range right {
		right[i] = numeric(rows[1:], i)
	}
	var b strings.Builder
	for n, row := range rows {
		for i, cell := range row {
			padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if right[i] {
				cell = padding + cell
			} else {
				cell += padding
			}
			b.WriteString("| " + cell + " ")
		}
		b.WriteString("|\n")
		if n == 0 {
			for i, width := range widths {
				if right[i] {
					b.WriteString("|-" + strings.Repeat("-", width) + ":")
				} else {
					b.WriteString("|-" + strings.Repeat("-", width) + "-")
				}
			}
			b.WriteString("|\n")
		}
	}
	return b.String()
}

// numeric reports whether a column holds figures: each cell is empty or begins
// with a digit.
func numeric(rows [][]string, column int) bool {
	some := false
	for _, row := range rows {
		cell := row[column]
		if cell == "" {
			continue
		}
		if cell[0] < '0' || cell[0] > '9' {
			return false
		}
		some = true
	}
	return some
}
