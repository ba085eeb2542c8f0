package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if order := os.Getenv(writerVariable); order != "" {
		exit(writeFor(order))
	}
	os.Exit(m.Run())
}

// What this system lacks is left out; everything else brings all messages.
func TestEveryYardstickIsMeasured(t *testing.T) {
	run, err := plan{
		yardsticks: yardsticks(t.Context(), t.TempDir()),
		sizes:      []int{64, 64 << 10}, rounds: 1, each: time.Millisecond,
	}.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	table := render(run)
	for _, y := range run.Yardsticks {
		if !strings.Contains(table, y.Name) {
			t.Errorf("the table lacks %s", y.Name)
		}
		if y.Missing != "" {
			t.Logf("%s is left out: %s", y.Name, y.Missing)
			continue
		}
		if y.Failure != "" || len(y.Rounds) != 1 || y.Rounds[0][0] <= 0 || y.Rounds[0][1] <= 0 {
			t.Errorf("%s: %v, %s", y.Name, y.Rounds, y.Failure)
		}
	}
}

// Enough messages to go around each ring several times.
func TestYardsticksWrapWithoutLoss(t *testing.T) {
	for _, y := range yardsticks(t.Context(), t.TempDir()) {
		t.Run(y.name, func(t *testing.T) {
			if y.missing != nil {
				t.Skip(y.missing)
			}
			for _, size := range []int{60, 3 * capacity / 64} {
				if took, err := y.measure(t.Context(), newWork(2*capacity/size, size)); err != nil || took <= 0 {
					t.Errorf("%d bytes: %v, %v", size, took, err)
				}
			}
		})
	}
}

func TestFailureIsRecordedAndOthersGoOn(t *testing.T) {
	good := func(context.Context, work) (time.Duration, error) { return time.Millisecond, nil }
	bad := func(context.Context, work) (time.Duration, error) { return 0, errors.New("torn") }
	run, err := plan{
		yardsticks: []yardstick{{name: "good", measure: good}, {name: "bad", measure: bad}, {name: "absent", missing: errors.New("not here")}},
		sizes:      []int{64}, rounds: 2, each: time.Millisecond,
	}.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, rounds := range []int{2, 0, 0} {
		if y := run.Yardsticks[i]; len(y.Rounds) != rounds {
			t.Errorf("%s has %d rounds", y.Name, len(y.Rounds))
		}
	}
	if f := run.Yardsticks[1].Failure; !strings.Contains(f, "64 bytes: torn") {
		t.Errorf("failure %q", f)
	}
	if m := run.Yardsticks[2].Missing; m != "not here" {
		t.Errorf("missing %q", m)
	}
}

func TestWrongMessageIsNoticed(t *testing.T) {
	p := make([]byte, 64)
	stamp(p, 7)
	if err := check(p, 64, 7); err != nil {
		t.Error(err)
	}
	torn := append([]byte(nil), p...)
	torn[60]++
	for _, c := range []struct {
		p            []byte
		size, number int
	}{{p, 64, 8}, {p, 63, 7}, {torn, 64, 7}} {
		if check(c.p, c.size, c.number) == nil {
			t.Errorf("%d bytes as message %d of %d bytes were accepted", len(c.p), c.number, c.size)
		}
	}
}
