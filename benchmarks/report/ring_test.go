package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenon-go/tenon/benchmarks/result"
)

func TestRingSaysWhatIsMissingAndWhatToDoubt(t *testing.T) {
	run := sampleRing()
	text := ring(run, false)
	if strings.Contains(text, "with doubt") {
		t.Error("a quiet run is doubted")
	}
	for _, want := range []string{
		"| **tenon** | 25.0 |  2.50 |\n",                    // M messages/s
		"| **tenon** | 1.49 |  2.38 |\n",                    // GiB/s
		"| C++       | 0.50 (0.50 – 0.50) |",                // ratio
		"| **tenon** | 20.0 – 30.0 | 2.00 – 3.00 |\n",       // rounds
		"JavaScript was left out: node: not found.\n",       // and has no row
		"| JavaScript | two threads |         |\n",          // but is described
		"Other programs kept 0.00 CPUs busy before the run", //
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the part lacks %q", want)
		}
	}
	run.Load.During = 1
	run.Yardsticks[1].Failure = "round 2, 64 bytes: it hung"
	text = ring(run, false)
	for _, want := range []string{
		"Other programs kept 1.0 of 2 CPUs busy during the run.",
		"C++ was not measured to the end: round 2, 64 bytes: it hung.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the part lacks %q", want)
		}
	}
}

func TestReportToleratesWhatWasNotMeasured(t *testing.T) {
	files, err := report(&result.File{Calls: sample()})
	if err != nil || len(files) != 1 || string(files["BENCHMARKS.md"]) != document(sample(), nil, false) {
		t.Errorf("%d files, %v", len(files), err)
	}
	if _, err := report(new(result.File)); err == nil || !strings.Contains(err.Error(), "no calls") {
		t.Errorf("without calls: %v", err)
	}
}

func TestBrokenResultsAreNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(path, t.TempDir(), false); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}

func sampleRing() *result.RingRun {
	run := sample()
	return &result.RingRun{
		Taken: run.Taken, Machine: run.Machine, Rounds: 2, EachMS: 10,
		Sizes: []int{64, 1 << 10},
		Yardsticks: []result.Yardstick{
			{Name: "tenon", About: "the ring", Kind: "ours", Rounds: [][]float64{{20e6, 2e6}, {30e6, 3e6}}},
			{Name: "C++", About: "the floor", Kind: "yardstick", Version: "g++ 12", Rounds: [][]float64{{40e6, 4e6}, {60e6, 6e6}}},
			{Name: "JavaScript", About: "two threads", Kind: "yardstick", Missing: "node: not found"},
		},
	}
}
