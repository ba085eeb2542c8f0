package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tenon-go/tenon/benchmarks/result"
	"github.com/tenon-go/tenon/internal/leak"
)

func TestMain(m *testing.M) {
	serve()
	measureAsChild()
	os.Exit(m.Run())
}

// What this system does not allow is left out; everything else has figures.
func TestEveryScenarioIsMeasured(t *testing.T) {
	leak.Check(t)
	run, err := plan{
		scenarios: scenarios(), counts: []int{3}, sizes: []int{0, 64 << 10}, rounds: 1,
		each: 5 * time.Millisecond, idle: time.Millisecond,
	}.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	table := render(run)
	for i := range run.Duels {
		d := &run.Duels[i]
		if !strings.Contains(table, d.Name) {
			t.Errorf("the table lacks %s", d.Name)
		}
		if d.Missing != "" {
			t.Logf("%s is left out: %s", d.Name, d.Missing)
			continue
		}
		for _, c := range []result.Cost{d.Rounds[0].Polling, d.Rounds[0].Sleeping} {
			if c.P50 <= 0 || c.P99 < c.P50 || c.PerCall <= 0 {
				t.Errorf("%s: %+v", d.Name, c)
			}
		}
	}
	for _, tr := range run.Transfers {
		if len(tr.Rounds) != 1 || tr.Rounds[0][0] <= 0 || tr.Rounds[0][1] <= 0 {
			t.Errorf("%s: %v", tr.Link, tr.Rounds)
		}
	}
	if c := run.Connections[0]; c.Failure != "" || c.Threads < c.None || c.None < 2 {
		t.Errorf("%+v", c)
	}
	left, _ := filepath.Glob(fmt.Sprintf("/sys/fs/cgroup/*/tenon-pressure-%d", os.Getpid()))
	if left != nil {
		t.Errorf("control groups are left: %q", left)
	}
}

// Where control groups cannot be made, a process that computes takes the other
// half of one CPU.
func TestHalfACPUIsSharedWithARival(t *testing.T) {
	leak.Check(t)
	o := order{Kind: "calls", Callers: 1, Connections: 1, EachMS: 5}
	var c result.Cost
	if err := (room{rival: true}).carryOut(t.Context(), o, &c); err != nil {
		t.Skip(err)
	}
	if c.PerCall <= 0 {
		t.Errorf("%+v", c)
	}
}

func TestFailureOfAChildIsSaid(t *testing.T) {
	leak.Check(t)
	err := room{}.carryOut(t.Context(), order{Kind: "nonsense"}, nil)
	if err == nil || !strings.Contains(err.Error(), `there is no measurement "nonsense"`) {
		t.Error(err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	leak.Check(t)
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, stop)
	_, err := plan{scenarios: scenarios(), rounds: 100, each: time.Hour}.run(ctx)
	if err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
