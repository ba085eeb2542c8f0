package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/internal/machine"
)

func TestMain(m *testing.M) {
	Main()
	// What is made once for the whole program is no leak of a test: the thread
	// that starts workers.
	if s, err := channels[len(channels)-1].open(context.Background()); err == nil {
		s.close()
	}
	os.Exit(m.Run())
}

func TestEveryCaseOfEveryChannelIsMeasured(t *testing.T) {
	leak.Check(t)
	steps := 0
	plan := Plan{Rounds: 2, Each: time.Millisecond, Progress: func(done, total int, _, _ string) {
		if done != steps || done >= total {
			t.Errorf("step %d of %d after %d steps", done, total, steps)
		}
		steps++
	}}
	if err := plan.Check(); err != nil {
		t.Fatal(err)
	}
	report, err := plan.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if steps != 2*len(report.Rows) {
		t.Errorf("%d steps for two rounds of %d rows", steps, len(report.Rows))
	}
	for _, row := range report.Rows {
		if row.P50 <= 0 || row.P99 < row.P50 || row.PerCall <= 0 || row.Allocs < 0 || machine.CPU() > 0 && row.CPU <= 0 {
			t.Errorf("%+v", row)
		}
	}
	table := report.Table(nil)
	for _, c := range channels {
		if c.missing() == "" && !strings.Contains(table, c.name) {
			t.Errorf("the table lacks %s", c.name)
		}
	}
	for _, format := range []struct{ path, magic string }{{"a.svg", "<?xml"}, {"a.PNG", "\x89PNG"}} {
		var b bytes.Buffer
		if err := errors.Join(plan.CheckPlot(format.path), report.Plot(&b, format.path)); err != nil {
			t.Error(err)
		}
		if !strings.HasPrefix(b.String(), format.magic) {
			t.Errorf("%s begins with %.20q", format.path, b.String())
		}
	}
}

func TestRunEndsWithItsContextAndLeavesNothing(t *testing.T) {
	leak.Check(t)
	ctx, stop := context.WithCancel(t.Context())
	plan := Plan{Rounds: 1000, Each: time.Hour, Progress: func(done, _ int, _, _ string) {
		time.AfterFunc(20*time.Millisecond, stop)
	}}
	begin := time.Now()
	report, err := plan.Run(ctx)
	if report != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", report, err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it took %v to end", took)
	}
}

func TestUnknownNamesAreRefused(t *testing.T) {
	for _, c := range []struct {
		plan Plan
		want string
	}{
		{Plan{Channels: []string{"inproc", "carrier pigeon"}}, `there is no channel "carrier pigeon"; there are shm,`},
		{Plan{Cases: []string{"sub"}}, `there is no case "sub"; there are add,`},
		{Plan{Channels: []string{"inproc"}, Cases: []string{"start"}}, "none of these cases"},
		{Plan{Channels: []string{}}, "no channel is named; there are shm,"},
		{Plan{Cases: []string{}}, "no case is named; there are add,"},
	} {
		if err := c.plan.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.plan, err)
		}
	}
}

func TestPlanOfWhichNothingIsDrawnOrComparedIsRefused(t *testing.T) {
	for name, drawn := range map[string]bool{"add": true, "upload1MiB": true, "ring64B": true, "user": false, "streamout": false, "stream64KiB": false} {
		if err := (Plan{Cases: []string{name}}).CheckPlot("a.svg"); (err == nil) != drawn {
			t.Errorf("%s: %v", name, err)
		}
	}
	earlier := &Report{Rows: []Row{{Channel: "inproc", Case: "add"}}}
	if err := (Plan{Cases: []string{"add", "user"}}).CheckCompare(earlier); err != nil {
		t.Error(err)
	}
	for _, p := range []Plan{{Cases: []string{"user"}}, {Channels: []string{"pipe"}}} {
		if err := p.CheckCompare(earlier); err == nil || !strings.Contains(err.Error(), "of its 1 rows (add over inproc and so on)") {
			t.Error(err)
		}
	}
}

func TestNoRoundIsBegunThatWouldEndTooLate(t *testing.T) {
	for _, c := range []struct {
		within time.Duration
		rounds int
	}{{0, 4}, {time.Hour, 4}, {time.Millisecond, 2}} {
		plan := Plan{Channels: []string{"inproc"}, Cases: []string{"add"}, Rounds: 4, Within: c.within, Each: time.Millisecond}
		report, err := plan.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if report.rounds != c.rounds || !strings.Contains(report.Table(nil), fmt.Sprintf("Medians of %d rounds", c.rounds)) {
			t.Errorf("%d rounds within %v", report.rounds, c.within)
		}
	}
}

func TestAxisOfSizesIsReadable(t *testing.T) {
	for _, c := range []struct{ low, high float64 }{{64, 16 << 20}, {1 << 10, 128 << 10}, {64, 64 << 10}, {512, 2048}} {
		list := sizes(c.low, c.high)
		if n := len(list); n < 2 && c.high > 4*c.low || n > 8 || n == 0 || list[0] < c.low || list[n-1] > c.high || list[n-1] < c.high/16 {
			t.Errorf("%v to %v: %v", c.low, c.high, list)
		}
	}
}

func TestJSONHasExactlyItsFields(t *testing.T) {
	r := &Report{Machine: machine.Machine{CPUs: 2}, Rows: []Row{{Channel: "shm", Case: "add", P50: 1, P99: 2, PerCall: 3, CPU: 4, Allocs: 5}}, Doubts: []string{"never shown"}}
	data, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got["machine"] == nil {
		t.Errorf("%s", data)
	}
	var rows bytes.Buffer
	if err := json.Compact(&rows, got["rows"]); err != nil {
		t.Fatal(err)
	}
	if want := `[{"channel":"shm","case":"add","p50_ns":1,"p99_ns":2,"per_call_ns":3,"cpu_ns":4,"allocs":5,"spread":0}]`; rows.String() != want {
		t.Errorf("%s, not %s", rows.String(), want)
	}
	r.Busy = true
	if data, _ := r.JSON(); !bytes.Contains(data, []byte(`"busy": true`)) {
		t.Errorf("a busy machine: %s", data)
	}
}

func TestMedianOverRoundsAndDoubt(t *testing.T) {
	steady := &job{channel: channels[0], test: cases[0], rounds: []figures{{P50: 100}, {P50: 120}, {P50: 110}}}
	unsteady := &job{channel: channels[0], test: cases[1], rounds: []figures{{P50: 100}, {P50: 300}}}
	for _, c := range []struct {
		jobs           []*job
		before, during float64
		want           string
	}{
		{[]*job{steady}, 0, 0, ""},
		{[]*job{steady}, -1, -1, ""}, // not known
		{[]*job{steady}, 1.5, 0, "other programs kept 1.5 of 2 CPUs busy before the run"},
		{[]*job{steady}, 0, 0.4, "other programs kept 0.4 of 2 CPUs busy during the run"},
		{[]*job{steady, unsteady}, 0, 0, "the p50 of 1 of 2 rows changed by more than a half from round to round"},
		{[]*job{steady, steady, steady, unsteady}, 0, 0, ""},
	} {
		r := &Report{Machine: machine.Machine{CPUs: 2}}
		r.fill(c.jobs, c.before, c.during)
		if got := strings.Join(r.Doubts, "; "); got != c.want || r.Busy != (c.want != "") || r.Busy != (r.Warning() != "") {
			t.Errorf("%v, %q, not %q", r.Busy, got, c.want)
		}
		if row := r.Rows[0]; row.P50 != 110 || row.Spread != 0.2 {
			t.Errorf("%+v", row)
		}
	}
}

func TestComparison(t *testing.T) {
	row := func(channel string, p50, spread float64) Row {
		return Row{Channel: channel, Case: "add", P50: p50, Spread: spread, job: &job{test: cases[0]}}
	}
	before := &Report{Rows: []Row{row("shm", 1000, 0), row("unix", 1000, 0.15), row("tcp", 1000, 0), row("tls", 1000, 0)}}
	now := &Report{Rows: []Row{
		row("shm", 1300, 0.05),  // beyond both the noise and the spread
		row("unix", 1300, 0.2),  // within both spreads
		row("tcp", 1090, 0),     // within the noise
		row("tls", 700, 0.01),   // faster
		row("pipe", 5000, 0.01), // not there before
	}}
	text := now.Compare(before)
	for _, want := range []string{
		"1 of 4 rows slower beyond the spread, 1 faster.\n  SLOWER  add over shm: 1.30 µs, was 1.00 µs (1.30 times; chance explains 1.10)\n",
		"1 rows have nothing to be compared with",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nlacks %q", text, want)
		}
	}
	if strings.Contains(text, "another machine") || strings.Contains(text, "busy") {
		t.Errorf("%s", text)
	}
	before.Busy, before.Machine.CPUs = true, 64
	if text := now.Compare(before); !strings.Contains(text, "busy machine") || !strings.Contains(text, "another machine") {
		t.Errorf("%s", text)
	}
	if table := now.Table(before); !strings.Contains(table, "SLOWER") || !strings.Contains(table, "1.30") {
		t.Errorf("%s", table)
	}
}

func TestWhatIsNoReportIsRefused(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"text": "p50", "empty": "{}", "other": `{"rows": 3}`} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), path+" is not the output of tenon bench --json") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(filepath.Join(dir, "nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
