package result

import "testing"

func rounds(of func(*Round, float64), values ...float64) *Peer {
	p := new(Peer)
	for _, v := range values {
		var r Round
		of(&r, v)
		p.Rounds = append(p.Rounds, r)
	}
	return p
}

func addP50(r *Round, ns float64)    { r.Add.P50 = ns }
func upload1(r *Round, rate float64) { r.Upload1 = rate }

func figure(t *testing.T, title string) Figure {
	for _, f := range Figures {
		if f.Title == title {
			return f
		}
	}
	t.Fatalf("no figure %q", title)
	return Figure{}
}

func TestSpreadIsMedianLeastAndGreatest(t *testing.T) {
	s, ok := figure(t, "add p50").Of(rounds(addP50, 3000, 1000, 2000, 9000))
	if want := (Spread{Median: 2.5, Min: 1, Max: 9}); !ok || s != want {
		t.Errorf("%+v, %v, not %+v", s, ok, want)
	}
}

func TestRatioComparesRoundWithRound(t *testing.T) {
	// A slow second round is slow for both and changes nothing.
	s, _ := figure(t, "add p50").Ratio(rounds(addP50, 2000, 20_000), rounds(addP50, 1000, 10_000))
	if want := (Spread{2, 2, 2}); s != want {
		t.Errorf("%+v, not %+v", s, want)
	}
}

func TestRatioIsAboveOneWhereTheReferenceIsBetter(t *testing.T) {
	s, _ := figure(t, "1 MiB").Ratio(rounds(upload1, 2), rounds(upload1, 8))
	if s.Median != 4 {
		t.Errorf("4 times as much is %v", s.Median)
	}
}

func TestWhatWasNotMeasuredHasNoFigure(t *testing.T) {
	if s, ok := figure(t, "16 MiB").Of(rounds(upload1, 2)); ok {
		t.Errorf("%+v of nothing", s)
	}
	none := rounds(addP50, 1000)
	if s, ok := figure(t, "allocs per add").Of(none); ok {
		t.Errorf("%+v of nothing", s)
	}
	none.Rounds[0].Add.Calls = 1
	if s, ok := figure(t, "allocs per add").Of(none); !ok || s.Median != 0 {
		t.Errorf("no allocations are %+v, %v", s, ok)
	}
}

func TestRoundsAreAdded(t *testing.T) {
	run := &Run{Rounds: 1, Load: Load{Before: 0.1, During: 0.1}, Peers: []Peer{*rounds(addP50, 3000), *rounds(addP50, 1)}}
	run.Peers[1].Name = "new"
	run.Add(&Run{Rounds: 2, Load: Load{Before: 0.2}, Peers: []Peer{*rounds(addP50, 1000, 2000)}})
	if want := (Load{Before: 0.2, During: 0.1}); run.Rounds != 3 || run.Load != want || len(run.Peers[1].Rounds) != 1 {
		t.Errorf("%+v", run)
	}
	if s, _ := figure(t, "add p50").Of(&run.Peers[0]); s != (Spread{Median: 2, Min: 1, Max: 3}) {
		t.Errorf("%+v", s)
	}
}

func TestUnsteadyFiguresAreDoubted(t *testing.T) {
	steady := &Run{Peers: []Peer{*rounds(addP50, 1000, 1200)}}
	if d := steady.Doubts(); d != nil {
		t.Errorf("doubts about a steady run: %q", d)
	}
	unsteady := &Run{Peers: []Peer{*rounds(addP50, 1000, 2000)}}
	if d := unsteady.Doubts(); len(d) != 1 {
		t.Errorf("doubts about an unsteady run: %q", d)
	}
}
