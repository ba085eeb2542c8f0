// Package result holds what the benchmarks measured: the form of results.json, and
// the figures that tables are made of.
package result

import (
	"time"

	"github.com/tenon-go/tenon/internal/machine"
)

// A Run is one run of the benchmarks of calls, or of streams.
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
	Echo     Latency `json:"echo,omitzero"`
	List     Latency `json:"list,omitzero"`
	Parallel float64 `json:"parallel_ns,omitzero"` // time per call with 64 callers
	Started  float64 `json:"started_ns,omitzero"`  // time per call of 64 that one goroutine starts
	CPU      float64 `json:"add_cpu_ns"`           // of both sides, per add of a lone caller
	Allocs   float64 `json:"add_allocs"`           // per call, in the calling process
	Upload1  float64 `json:"upload_1mib_gbps,omitzero"`
	Upload16 float64 `json:"upload_16mib_gbps,omitzero"`
	StartMS  float64 `json:"start_ms"` // until the first answer

	// Of a run of streams, where of the above only Add is measured.
	Out         Rate    `json:"stream_out,omitzero"`    // small items from the server
	In          Rate    `json:"stream_in,omitzero"`     // to it
	Both        Rate    `json:"stream_both,omitzero"`   // to it and back
	Users       Rate    `json:"stream_users,omitzero"`  // objects from the server
	Pieces      Rate    `json:"stream_pieces,omitzero"` // 64 KiB each
	BesideAdd   float64 `json:"add_beside_unread_p50_ns,omitzero"`
	BesideLarge float64 `json:"add_beside_64mib_p99_ns,omitzero"`
	BackCall    float64 `json:"back_call_p50_ns,omitzero"` // a call whose handler calls the caller's service
	Function    float64 `json:"function_p50_ns,omitzero"`  // a call whose handler calls its function parameter
}

// A Rate is what one stream carried, from the call that opened it to its end.
type Rate struct {
	PerSecond float64 `json:"per_s"`
	CPU       float64 `json:"cpu_ns"` // of both sides, per item
}

// Latency is the time of a lone caller's call, in nanoseconds.
type Latency struct {
	P50   float64 `json:"p50_ns"`
	P99   float64 `json:"p99_ns"`
	Mean  float64 `json:"mean_ns"`
	Calls int     `json:"calls"`

	// Quantiles are the times below which Shares of the calls lie.
	Quantiles []float64 `json:"quantiles_ns,omitempty"`
}

// Shares are those of the quantiles of a Latency, in percent.
var Shares = []float64{0.1, 1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 98, 99, 99.5, 99.9}

// Peer is the peer of that name, or nil.
func (r *Run) Peer(name string) *Peer {
	for i := range r.Peers {
		if r.Peers[i].Name == name {
			return &r.Peers[i]
		}
	}
	return nil
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

// Quantile summarizes, over the rounds, the nanoseconds below which the share of
// the adds with that index lies.
func (p *Peer) Quantile(share int) (s Spread, ok bool) {
	var values []float64
	for _, r := range p.Rounds {
		if len(r.Add.Quantiles) == len(Shares) {
			values = append(values, r.Add.Quantiles[share])
		}
	}
	return spreadOf(values)
}
