package main

import (
	"strings"
	"testing"

	"github.com/tenon-go/tenon/benchmarks/result"
)

func TestPressureSaysWhatWasLost(t *testing.T) {
	run := samplePressure()
	text := pressure(run, true)
	for _, want := range []string{
		"| alone         |        2.00 |         10.0 | 0.20 (0.20 – 0.20) |",
		"Polling lost more than 10 % in the median with: busy.\n",
		"half a CPU was left out: no control groups.\n",
		"    1.00 |        15.6 |\n",
		"- shm: 2.00 times, from 64 B to 128 B\n",
		"![Bytes per second over the size of the argument](docs/plots/sizes.svg)",
		"|          10 |    0.0010 | 20.0 |",
		"1000 connections were not measured: too many.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the part lacks %q", want)
		}
	}
	run.Duels = run.Duels[:1]
	if text := pressure(run, false); !strings.Contains(text, "Nowhere did polling lose") || strings.Contains(text, "![") {
		t.Error("lost without having lost")
	}
}

func TestGoals(t *testing.T) {
	peer := func(name, kind string, p50 float64) result.Peer {
		return result.Peer{Name: name, Kind: kind, Rounds: []result.Round{{Add: result.Latency{P50: p50}}}}
	}
	text := goals(&result.Run{Peers: []result.Peer{
		peer("tenon shm", "ours", 1000), peer("tenon unix", "ours", 6000), peer("bare", "floor", 5000),
		peer("net/rpc", "peer", 19_000), peer("grpc", "peer", 70_000),
	}}, nil)
	for _, want := range []string{
		"| tenon unix : tenon shm, add                        |    5 or more |   6.00 |  6.00 |     6.00 | yes     |",
		"| net/rpc, the fastest of the peers : tenon shm, add |   20 or more |   19.0 |  19.0 |     19.0 | no      |",
		"| grpc : tenon shm, add                              |   70 or more |   70.0 |  70.0 |     70.0 | yes     |",
		"| tenon unix : bare, add                             | 1.15 or less |   1.20 |  1.20 |     1.20 | no      |",
		"| tenon shm, add p50  |  1 µs or less |   1.00 |  1.00 |     1.00 | yes     |",
		"| tenon unix, add p50 | 16 µs or less |   6.00 |  6.00 |     6.00 | yes     |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nlacks %q", text, want)
		}
	}
}

func samplePressure() *result.PressureRun {
	run := sample()
	duel := func(polling, sleeping float64) []result.DuelRound {
		return []result.DuelRound{{Polling: result.Cost{PerCall: polling}, Sleeping: result.Cost{PerCall: sleeping}}}
	}
	return &result.PressureRun{
		Taken: run.Taken, Machine: run.Machine, Rounds: 1, EachMS: 10,
		Duels: []result.Duel{
			{Name: "alone", Rounds: duel(2000, 10_000)},
			{Name: "busy", Rounds: duel(12_000, 10_000)},
			{Name: "half a CPU", Missing: "no control groups"},
		},
		Connections: []result.Connections{{Count: 10, CPU: 0.001, Heap: 20 << 10, Threads: 9, None: 8}, {Count: 1000, Failure: "too many"}},
		Transfers:   []result.Transfer{{Link: "shm", Sizes: []int{0, 64, 128}, Rounds: [][]float64{{900, 1000, 4000}}}},
	}
}
