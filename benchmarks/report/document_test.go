package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tenon-go/tenon/benchmarks/result"
	"github.com/tenon-go/tenon/internal/machine"
)

func TestCommittedFilesAreMadeFromTheResults(t *testing.T) {
	if err := run("../results.json", "../..", true); err != nil {
		t.Error(err)
	}
}

func TestStaleFilesAreNamedAndWritten(t *testing.T) {
	dir := t.TempDir()
	results := filepath.Join(dir, "results.json")
	if err := result.Update(results, func(f *result.File) { *f = sampleFile() }); err != nil {
		t.Fatal(err)
	}
	err := run(results, dir, true)
	for _, name := range []string{"BENCHMARKS.md", latencyPlot, ringPlot, sizePlot} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v lacks %s", err, name)
		}
	}
	if err := run(results, dir, false); err != nil {
		t.Fatal(err)
	}
	if err := run(results, dir, true); err != nil {
		t.Errorf("the same results give something else: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "BENCHMARKS.md"), []byte("better figures"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(results, dir, true); err == nil || !strings.Contains(err.Error(), ": BENCHMARKS.md") {
		t.Errorf("an edited file: %v", err)
	}
}

func TestDocumentSaysWhatIsMissingAndWhatToDoubt(t *testing.T) {
	run := sample()
	text := document(run, nil, false)
	if strings.Contains(text, "with doubt") {
		t.Error("a quiet run is doubted")
	}
	run.Load.Before = 1.5
	run.Peers[1].Failure = "round 2: it hung"
	text = document(run, nil, false)
	for _, want := range []string{
		"Other programs kept 1.5 of 2 CPUs busy before the run started.",
		"other was not measured to the end: round 2: it hung.",
		"Compared with tenon",
		"- 21.0 µs, 20.0 times as long: other thing, the fastest of the peers\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the document lacks %q", want)
		}
	}
}

func TestRunWithoutTenonIsNotCompared(t *testing.T) {
	run := sample()
	run.Peers = run.Peers[1:]
	if strings.Contains(document(run, nil, false), "Compared with") {
		t.Error("compared with what was not measured")
	}
}

func sample() *result.Run {
	return &result.Run{
		Taken:   time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		Machine: machine.Machine{System: "linux/amd64", CPU: "a CPU", CPUs: 2, Go: "go1.26", GOMAXPROCS: 2, ClockNS: 40},
		Rounds:  2, EachMS: 10,
		Peers: []result.Peer{
			{Name: "tenon", Kind: "ours", Rounds: []result.Round{{Add: result.Latency{P50: 1000, Calls: 9}}, {Add: result.Latency{P50: 1100, Calls: 9}}}},
			{Name: "other", About: "other thing", Kind: "peer", Rounds: []result.Round{{Add: result.Latency{P50: 20_000, Calls: 9}}, {Add: result.Latency{P50: 22_000, Calls: 9}}}},
		},
	}
}

func sampleFile() result.File {
	calls := sample()
	for i := range calls.Peers {
		for j := range calls.Peers[i].Rounds {
			add := &calls.Peers[i].Rounds[j].Add
			for n := range result.Shares {
				add.Quantiles = append(add.Quantiles, add.P50*float64(n+1))
			}
		}
	}
	return result.File{Calls: calls, Streams: sampleStreams(), Ring: sampleRing(), Pressure: samplePressure()}
}
