// Package result holds what a run of the benchmarks measured: the form of
// results.json, and the figures that tables are made of.
package result

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/tenon-go/tenon/internal/machine"
)

// A Run is one run of the benchmarks.
type Run struct {
	Taken   time.Time       `json:"taken"`
	Machine machine.Machine `json:"machine"`
	Load    Load            `json:"load"`
	Rounds  int             `json:"rounds"`
	EachMS  int64           `json:"each_ms"` // how long a measure of a peer takes in a round
	Peers   []Peer          `json:"peers"`
}

// Load is how many CPUs other programs kept busy, before the run and during it.
// It is negative where that is not known.
type Load struct {
	Before float64 `json:"before"`
	During float64 `json:"during"`
}

// A Peer is what was measured of one way to call.
type Peer struct {
	Name    string  `json:"name"`
	About   string  `json:"about"`
	Kind    string  `json:"kind"`
	Version string  `json:"version,omitempty"`
	Rounds  []Round `json:"rounds"`
	Failure string  `json:"failure,omitempty"` // what ended its measurement
}

// A Round is what one round measured of a peer. Zero means not measured.
type Round struct {
	Add      Latency `json:"add"`
	Echo     Latency `json:"echo"`
	List     Latency `json:"list"`
	Parallel float64 `json:"parallel_ns"` // time per call with 64 callers
	Allocs   float64 `json:"add_allocs"`  // per call, in the calling process
	Upload1  float64 `json:"upload_1mib_gbps"`
	Upload16 float64 `json:"upload_16mib_gbps"`
	StartMS  float64 `json:"start_ms"` // until the first answer
}

// Latency is the time of a lone caller's call, in nanoseconds.
type Latency struct {
	P50   float64 `json:"p50_ns"`
	P99   float64 `json:"p99_ns"`
	Mean  float64 `json:"mean_ns"`
	Calls int     `json:"calls"`
}

// Read reads a run from a file.
func Read(path string) (*Run, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	run := new(Run)
	if err := json.Unmarshal(data, run); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return run, nil
}

// Write writes a run to a file.
func (r *Run) Write(path string) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

// Reference is the peer that all others are compared with: the first one of our
// own. It is nil when none of ours was measured.
func (r *Run) Reference() *Peer {
	for i := range r.Peers {
		if r.Peers[i].Kind == "ours" {
			return &r.Peers[i]
		}
	}
	return nil
}
