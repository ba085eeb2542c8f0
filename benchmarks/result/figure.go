package result

import (
	"slices"
	"strconv"
)

// A Figure is one column of the tables.
type Figure struct {
	Title  string
	Unit   string
	scale  float64 // from what a Round holds to the unit
	Higher bool    // is better
	Detail bool    // of another figure: left out of comparisons
	of     func(Round) float64
}

// Figures are the columns in their order.
var Figures = []Figure{
	{"add p50", "µs", 1e-3, false, false, func(r Round) float64 { return r.Add.P50 }},
	{"add p99", "µs", 1e-3, false, true, func(r Round) float64 { return r.Add.P99 }},
	{"add mean", "µs", 1e-3, false, true, func(r Round) float64 { return r.Add.Mean }},
	{"user p50", "µs", 1e-3, false, false, func(r Round) float64 { return r.Echo.P50 }},
	{"100 users p50", "µs", 1e-3, false, false, func(r Round) float64 { return r.List.P50 }},
	{"64 callers, per call", "µs", 1e-3, false, false, func(r Round) float64 { return r.Parallel }},
	{"allocs per add", "", 1, false, false, func(r Round) float64 { return r.Allocs }},
	{"1 MiB", "GB/s", 1, true, false, func(r Round) float64 { return r.Upload1 }},
	{"16 MiB", "GB/s", 1, true, false, func(r Round) float64 { return r.Upload16 }},
	{"start", "ms", 1, false, false, func(r Round) float64 { return r.StartMS }},
}

// A Spread is the median of some values with the least and the greatest.
type Spread struct{ Median, Min, Max float64 }

// Of summarizes the figure over a peer's rounds. ok is false when it was not
// measured.
func (f Figure) Of(p *Peer) (s Spread, ok bool) {
	var values []float64
	for _, r := range p.Rounds {
		if v := f.of(r); v > 0 || f.Title == "allocs per add" && r.Add.Calls > 0 {
			values = append(values, v*f.scale)
		}
	}
	return spreadOf(values)
}

// Ratio summarizes, over the rounds, how many times as good as the peer the
// reference was. Each round is compared with itself, so that what slows the
// machine down for a while slows both.
func (f Figure) Ratio(p, reference *Peer) (s Spread, ok bool) {
	var values []float64
	for i := range min(len(p.Rounds), len(reference.Rounds)) {
		theirs, ours := f.of(p.Rounds[i]), f.of(reference.Rounds[i])
		if theirs <= 0 || ours <= 0 {
			continue
		}
		if f.Higher {
			theirs, ours = ours, theirs
		}
		values = append(values, theirs/ours)
	}
	return spreadOf(values)
}

func spreadOf(values []float64) (s Spread, ok bool) {
	if len(values) == 0 {
		return s, false
	}
	slices.Sort(values)
	n := len(values)
	return Spread{Median: (values[n/2] + values[(n-1)/2]) / 2, Min: values[0], Max: values[n-1]}, true
}

// Format gives a value two or three significant digits, as many as it deserves.
func Format(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v < 0.005:
		return "0"
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}
