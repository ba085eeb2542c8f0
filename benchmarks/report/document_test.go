package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tenon-go/tenon/benchmarks/result"
	"github.com/tenon-go/tenon/internal/machine"
)

func TestBenchmarksFileIsMadeFromTheResults(t *testing.T) {
	text, err := report("../results.json", "../ring.json")
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("../../BENCHMARKS.md")
	if err != nil {
		t.Fatal(err)
	}
	if text != string(committed) {
		t.Error("BENCHMARKS.md is not what the results give: run go run ./benchmarks/report benchmarks/results.json benchmarks/ring.json > BENCHMARKS.md")
	}
}

func TestSameResultsGiveTheSameDocument(t *testing.T) {
	path := t.TempDir() + "/results.json"
	if err := sample().Write(path); err != nil {
		t.Fatal(err)
	}
	read, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if document(read) != document(sample()) {
		t.Error("the document changes when the results are written and read again")
	}
}

func TestDocumentSaysWhatIsMissingAndWhatToDoubt(t *testing.T) {
	run := sample()
	text := document(run)
	if strings.Contains(text, "with doubt") {
		t.Error("a quiet run is doubted")
	}
	run.Load.Before = 1.5
	run.Peers[1].Failure = "round 2: it hung"
	text = document(run)
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
	if strings.Contains(document(run), "Compared with") {
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
