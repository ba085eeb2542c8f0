package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenon-go/tenon/benchmarks/measure"
	"github.com/tenon-go/tenon/benchmarks/peers"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
	"github.com/tenon-go/tenon/benchmarks/result"
)

func TestMain(m *testing.M) {
	peer.Main(peers.All()...)
	os.Exit(m.Run())
}

// The servers are this test binary here, so that nothing has to be built.
func TestEveryFigureOfEveryPeerIsMeasured(t *testing.T) {
	all := peers.All()
	results, err := plan{peers: all, rounds: 1, each: time.Millisecond, measure: measure.Peer, figures: result.Figures}.run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range results.Peers {
		info := all[i].Info()
		if p.Failure != "" || len(p.Rounds) != 1 {
			t.Errorf("%s: %d rounds, %s", p.Name, len(p.Rounds), p.Failure)
			continue
		}
		r := p.Rounds[0]
		for name, v := range map[string]float64{
			"add": r.Add.P50, "echo": r.Echo.P50, "list": r.List.P50, "parallel": r.Parallel, "start": r.StartMS,
			"quantiles": float64(len(r.Add.Quantiles)),
		} {
			if v <= 0 {
				t.Errorf("%s: %s was not measured", p.Name, name)
			}
		}
		if _, known := measure.StartWork().Done(); known && r.CPU <= 0 {
			t.Errorf("%s: the CPU time was not measured", p.Name)
		}
		if starts := info.Kind == peer.Ours || p.Name == "net/rpc"; (r.Started > 0) != starts {
			t.Errorf("%s: %v per call that was started", p.Name, r.Started)
		}
		if (r.Upload1 > 0) != (info.MaxUpload >= 1<<20) || (r.Upload16 > 0) != (info.MaxUpload >= 16<<20) {
			t.Errorf("%s: uploads %v and %v of %d bytes at most", p.Name, r.Upload1, r.Upload16, info.MaxUpload)
		}
	}
	table := render(results, result.Figures)
	for _, p := range results.Peers {
		if !strings.Contains(table, p.Name) {
			t.Errorf("the table lacks %s", p.Name)
		}
	}
}

func TestEveryStreamOfEveryPeerIsMeasured(t *testing.T) {
	all := peers.All()
	results, err := plan{peers: all, rounds: 1, each: time.Millisecond, measure: measure.Streams, figures: result.StreamFigures}.run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range results.Peers {
		info := all[i].Info()
		if p.Failure != "" || len(p.Rounds) != 1 {
			t.Errorf("%s: %d rounds, %s", p.Name, len(p.Rounds), p.Failure)
			continue
		}
		r := p.Rounds[0]
		streams := info.Streams
		for name, of := range map[string]struct {
			value  float64
			wanted bool
		}{
			"add": {r.Add.P50, true}, "out": {r.Out.PerSecond, streams}, "in": {r.In.PerSecond, streams}, "both": {r.Both.PerSecond, streams && p.Name != "connect"},
			"users": {r.Users.PerSecond, streams}, "pieces": {r.Pieces.PerSecond, streams && info.Kind != peer.Yardstick}, "beside an unread stream": {r.BesideAdd, info.Unread},
			"beside 64 MiB": {r.BesideLarge, streams && info.MaxUpload >= 64<<20}, "back": {r.BackCall, info.Kind == peer.Ours}, "function": {r.Function, info.Kind == peer.Ours},
		} {
			if (of.value > 0) != of.wanted {
				t.Errorf("%s: %s is %v", p.Name, name, of.value)
			}
		}
		if _, known := measure.StartWork().Done(); known && streams && r.Out.CPU <= 0 {
			t.Errorf("%s: the CPU time was not measured", p.Name)
		}
	}
}

func TestUnknownPeerIsRefusedByName(t *testing.T) {
	if _, err := choose(peers.All(), "tenon shm,nosuch"); err == nil || !strings.Contains(err.Error(), `"nosuch"`) {
		t.Errorf("got %v", err)
	}
	chosen, err := choose(peers.All(), "grpc, bare")
	if got := names(chosen); err != nil || !slices.Equal(got, []string{"grpc", "bare"}) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestOrderTurnsAround(t *testing.T) {
	if a, b := order(0, 3), order(1, 3); !slices.Equal(a, []int{0, 1, 2}) || !slices.Equal(b, []int{2, 1, 0}) {
		t.Errorf("%v, %v", a, b)
	}
}
