package main

import (
	"strings"
	"testing"

	"github.com/tenon-go/tenon/benchmarks/result"
)

func TestStreamsAreShownWithTheirGoals(t *testing.T) {
	run := sampleStreams()
	text := streams(run) + goals(sample(), run)
	for _, want := range []string{
		"| tenon shm, small items out                         |  10 M/s or more |   12.5 |  12.0 |     13.0 | yes     |",
		"| tenon shm, call and call back                      |    4 µs or less |   5.00 |  5.00 |     5.00 | no      |",
		"| tenon shm, add beside an unread stream : add alone |    1.15 or less |   1.10 |  1.10 |     1.10 | yes     |",
		"| tenon shm, add beside 64 MiB, p99                  | 1000 µs or less |   2000 |  2000 |     2000 | no      |",
		"| tenon unix : bare, small items out                 |    1.15 or less |   0.50 |  0.50 |     0.50 | yes     |",
		"[streams](#streams)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nlacks %q", text, want)
		}
	}
	if strings.Contains(text, "| users") {
		t.Error("a column of what was not measured")
	}
}

func sampleStreams() *result.Run {
	run := sample()
	items := func(name, kind string, rates ...float64) result.Peer {
		p := result.Peer{Name: name, Kind: kind}
		for _, r := range rates {
			p.Rounds = append(p.Rounds, result.Round{Add: result.Latency{P50: 1000, Calls: 1}, Out: result.Rate{PerSecond: r}})
		}
		return p
	}
	run.Peers = []result.Peer{items("tenon shm", "ours", 12e6, 13e6), items("tenon unix", "ours", 6e6, 6e6), items("bare", "floor", 3e6, 3e6)}
	for i := range run.Peers[0].Rounds {
		r := &run.Peers[0].Rounds[i]
		r.BackCall, r.BesideAdd, r.BesideLarge = 5000, 1100, 2e6
	}
	return run
}
