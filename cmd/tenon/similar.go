package main

import (
	"cmp"
	"slices"
	"strings"
)

// sortByLikeness puts those names first that are most like name.
func sortByLikeness(names []string, name string) {
	name = strings.ToLower(name)
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(distance(strings.ToLower(a), name), distance(strings.ToLower(b), name))
	})
}

// distance is how many characters have to be put in, taken out or replaced to make
// one text of the other (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1) // to the first i characters of a, from each beginning of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
