package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/tenon-go/tenon/internal/machine"
)

// A Report is what a run measured. Its JSON is an interface for programs.
type Report struct {
	Machine machine.Machine `json:"machine"`
	Busy    bool            `json:"busy,omitempty"` // the figures should not be believed
	Rows    []Row           `json:"rows"`

	LeftOut []string `json:"-"` // channels that this system lacks, with the reason
	Doubts  []string `json:"-"` // why it counts as busy
	rounds  int
}

// A Row is one case of one channel: medians over the rounds. CPU and allocations
// are those of both sides together, per call. CPU is 0 where the system does not
// say.
type Row struct {
	Channel string  `json:"channel"`
	Case    string  `json:"case"`
	P50     float64 `json:"p50_ns"`
	P99     float64 `json:"p99_ns"`
	PerCall float64 `json:"per_call_ns"`
	CPU     float64 `json:"cpu_ns"`
	Allocs  float64 `json:"allocs"`
	Spread  float64 `json:"spread"` // how much more than the least the greatest p50 of the rounds is: 0.1 is 10 %

	job *job
}

const (
	// wide is the spread of a row that is not steady.
	wide = 0.5
	// tolerated is the share of rows that may be unsteady.
	tolerated = 0.25
)

func (r *Report) fill(jobs []*job, before, during float64) {
	unsteady := 0
	for _, j := range jobs {
		row := Row{Channel: j.channel.name, Case: j.test.name, job: j}
		for _, of := range []struct {
			into *float64
			get  func(figures) float64
		}{
			{&row.P50, func(f figures) float64 { return f.P50 }},
			{&row.P99, func(f figures) float64 { return f.P99 }},
			{&row.PerCall, func(f figures) float64 { return f.PerCall }},
			{&row.CPU, func(f figures) float64 { return f.CPU }},
			{&row.Allocs, func(f figures) float64 { return f.Allocs }},
		} {
			*of.into, _, _ = spreadOf(j.rounds, of.get)
		}
		_, least, greatest := spreadOf(j.rounds, func(f figures) float64 { return f.P50 })
		row.Spread = math.Round(1000*(greatest/max(1, least)-1)) / 1000
		if row.Spread > wide {
			unsteady++
		}
		r.Rows = append(r.Rows, row)
	}
	for _, load := range []struct {
		others float64
		when   string
	}{{before, "before"}, {during, "during"}} {
		if load.others > machine.Busy {
			r.Doubts = append(r.Doubts, fmt.Sprintf("other programs kept %.1f of %d CPUs busy %s the run", load.others, r.Machine.CPUs, load.when))
		}
	}
	if float64(unsteady) > tolerated*float64(len(jobs)) {
		r.Doubts = append(r.Doubts, fmt.Sprintf("the p50 of %d of %d rows changed by more than a half from round to round", unsteady, len(jobs)))
	}
	r.Busy = r.Doubts != nil
}

// spreadOf returns the median, the least and the greatest, to a hundredth.
func spreadOf(rounds []figures, get func(figures) float64) (median, least, greatest float64) {
	var values []float64
	for _, f := range rounds {
		values = append(values, math.Round(get(f)*100)/100)
	}
	slices.Sort(values)
	n := len(values)
	return (values[n/2] + values[(n-1)/2]) / 2, values[0], values[n-1]
}

// JSON is the report for programs.
func (r *Report) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(r)
	return b.Bytes(), err
}

// Read reads the JSON of an earlier report from a file.
func Read(path string) (*Report, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := new(Report)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s is not the output of tenon bench --json: %w", path, err)
	}
	if len(r.Rows) == 0 {
		return nil, fmt.Errorf("%s is not the output of tenon bench --json: it has no rows", path)
	}
	return r, nil
}

// row finds the row of a channel and a case.
func (r *Report) row(channel, name string) (Row, bool) {
	i := slices.IndexFunc(r.Rows, func(row Row) bool { return row.Channel == channel && row.Case == name })
	if i < 0 {
		return Row{}, false
	}
	return r.Rows[i], true
}
