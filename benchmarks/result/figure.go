package result

import (
	"slices"
	"strconv"
)

// A Figure is one column of the tables.
type Figure struct {
	Title  string
	Unit   string
	Higher bool // is better
	Detail bool // of another figure: left out of comparisons
	of     func(Round) (value float64, measured bool)
}

// Figures are the columns in their order.
var Figures = []Figure{
	{Title: "add p50", Unit: "µs", of: micros(func(r Round) float64 { return r.Add.P50 })},
	{Title: "add p99", Unit: "µs", of: micros(func(r Round) float64 { return r.Add.P99 }), Detail: true},
	{Title: "add mean", Unit: "µs", of: micros(func(r Round) float64 { return r.Add.Mean }), Detail: true},
	{Title: "user p50", Unit: "µs", of: micros(func(r Round) float64 { return r.Echo.P50 })},
	{Title: "100 users p50", Unit: "µs", of: micros(func(r Round) float64 { return r.List.P50 })},
	{Title: "64 callers, per call", Unit: "µs", of: micros(func(r Round) float64 { return r.Parallel })},
	{Title: "64 started, per call", Unit: "µs", of: micros(func(r Round) float64 { return r.Started })},
	{Title: "CPU per add", Unit: "µs", of: micros(func(r Round) float64 { return r.CPU })},
	{Title: "allocs per add", of: func(r Round) (float64, bool) { return r.Allocs, r.Add.Calls > 0 }},
	{Title: "1 MiB", Unit: "GB/s", of: positive(func(r Round) float64 { return r.Upload1 }), Higher: true},
	{Title: "16 MiB", Unit: "GB/s", of: positive(func(r Round) float64 { return r.Upload16 }), Higher: true},
	{Title: "start", Unit: "ms", of: positive(func(r Round) float64 { return r.StartMS })},
}

// StreamFigures are those of a run of streams.
var StreamFigures = []Figure{
	{Title: "items out", Unit: "M/s", of: millions(func(r Round) Rate { return r.Out }), Higher: true},
	{Title: "items in", Unit: "M/s", of: millions(func(r Round) Rate { return r.In }), Higher: true},
	{Title: "both ways", Unit: "M/s", of: millions(func(r Round) Rate { return r.Both }), Higher: true},
	{Title: "users", Unit: "M/s", of: millions(func(r Round) Rate { return r.Users }), Higher: true},
	{Title: "64 KiB pieces", Unit: "GB/s", of: positive(func(r Round) float64 { return r.Pieces.PerSecond * (64 << 10) / 1e9 }), Higher: true},
	{Title: "CPU per item out", Unit: "ns", of: positive(func(r Round) float64 { return r.Out.CPU })},
	{Title: "CPU per item in", Unit: "ns", of: positive(func(r Round) float64 { return r.In.CPU })},
	{Title: "add beside an unread : alone", Unit: "", of: positive(func(r Round) float64 {
		if r.Add.P50 == 0 {
			return 0
		}
		return r.BesideAdd / r.Add.P50
	})},
	{Title: "add beside 64 MiB p99", Unit: "µs", of: micros(func(r Round) float64 { return r.BesideLarge })},
	{Title: "call and call back p50", Unit: "µs", of: micros(func(r Round) float64 { return r.BackCall })},
	{Title: "call and function p50", Unit: "µs", of: micros(func(r Round) float64 { return r.Function })},
}

func millions(of func(Round) Rate) func(Round) (float64, bool) {
	return positive(func(r Round) float64 { return of(r).PerSecond / 1e6 })
}

func positive(of func(Round) float64) func(Round) (float64, bool) {
	return func(r Round) (float64, bool) { v := of(r); return v, v > 0 }
}

func micros(nanos func(Round) float64) func(Round) (float64, bool) {
	return positive(func(r Round) float64 { return nanos(r) / 1e3 })
}

// A Spread is the median of some values with the least and the greatest.
type Spread struct{ Median, Min, Max float64 }

// Of summarizes the figure over a peer's rounds. ok is false when it was not
// measured.
func (f Figure) Of(p *Peer) (s Spread, ok bool) {
	var values []float64
	for _, r := range p.Rounds {
		if v, ok := f.of(r); ok {
			values = append(values, v)
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
		theirs, ok1 := f.of(p.Rounds[i])
		ours, ok2 := f.of(reference.Rounds[i])
		if !ok1 || !ok2 || theirs == 0 || ours == 0 {
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
