package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tenon-go/tenon/cmd/tenon/internal/bench/contract"
)

// A testCase is something that is measured over channels.
type testCase struct {
	name, about string
	size        int      // bytes that a call carries, where that is the point
	only        []string // channels; nil: all
	alone       bool     // it starts the other side itself
	measure     func(ctx context.Context, t trial) (figures, error)
}

// streamed begins the name of a case of a stream whose pieces have a size.
const streamed = "stream"

// together is how many calls are made at once.
const together = 64

// cases are in the order of the report.
var cases = func() []testCase {
	list := []testCase{
		{name: "add", about: "two numbers, one call after the other", measure: calling(add)},
		{name: "user", about: "one object of 90 bytes, there and back", measure: calling(echo)},
		{name: "list100", about: "a list of 100 such objects back", measure: calling(list)},
		{name: "callers64", about: "add, called by 64 goroutines at once", measure: func(ctx context.Context, t trial) (figures, error) {
			return t.measure(ctx, crowd(together, add(ctx, t.side)))
		}},
		{name: "started64", about: "64 adds started by one goroutine; p50 and p99 are of all 64", measure: startMany},
		{name: "wakeup", about: "add, called 1 ms apart, so that the other side sleeps", measure: func(ctx context.Context, t trial) (figures, error) {
			return t.measure(ctx, apart(time.Millisecond, add(ctx, t.side)))
		}},
	}
	for _, size := range []int{1 << 10, 16 << 10, 128 << 10, 1 << 20, 16 << 20} {
		list = append(list, testCase{
			name: "upload" + short(size), about: "an argument of " + short(size), size: size, measure: calling(upload(size)),
		})
	}
	list = append(list,
		testCase{name: "streamout", about: "small items from the other side; p50 and p99 are of 256", measure: streamOut},
		testCase{name: "streamin", about: "the same to the other side", measure: streamIn},
		testCase{name: streamed + short(64<<10), about: "pieces of 64KiB from the other side; p50 and p99 are of 16", size: 64 << 10, measure: streamPieces(64 << 10)},
	)
	for _, size := range []int{64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10} {
		list = append(list, testCase{
			name: "ring" + short(size), about: fmt.Sprintf("messages of %s through package ring; p50 and p99 are of %d messages", short(size), ringBatch), size: size,
			only: []string{"shm"}, alone: true, measure: func(ctx context.Context, t trial) (figures, error) { return measureRing(ctx, t, size) },
		})
	}
	return append(list, testCase{
		name: "start", about: "from starting this program again to its first answer", only: []string{"shm", "pipe", "unix", "tcp", "tls"}, alone: true, measure: startOver,
	})
}()

// CaseNames lists all cases for a person.
func CaseNames() string {
	var names []string
	for _, c := range cases {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}

// Explain lists channels, cases and columns with what they are, a line each.
func Explain() string {
	var b strings.Builder
	b.WriteString("Channels:\n\n")
	for _, c := range channels {
		fmt.Fprintf(&b, "  %-14s%s\n", c.name, c.about)
	}
	b.WriteString("\nCases:\n\n")
	for _, c := range cases {
		fmt.Fprintf(&b, "  %-14s%s\n", c.name, c.about)
	}
	b.WriteString("\nColumns:\n\n")
	for _, c := range columns {
		fmt.Fprintf(&b, "  %-14s%s\n", c.name, c.about)
	}
	return b.String()
}

// short writes a size without a space: 64B, 4KiB, 16MiB.
func short(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%dMiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%dKiB", n>>10)
	}
	return fmt.Sprintf("%dB", n)
}

// calling measures a call of one goroutine.
func calling(prepare func(context.Context, *side) func() error) func(context.Context, trial) (figures, error) {
	return func(ctx context.Context, t trial) (figures, error) {
		return t.measure(ctx, alone(prepare(ctx, t.side)))
	}
}

func add(ctx context.Context, s *side) func() error {
	return func() error { return sum(s.bench.Add(ctx, 4711, 1<<40)) }
}

func sum(got int64, err error) error {
	if err == nil && got != 1<<40+4711 {
		err = errWrong
	}
	return err
}

var errWrong = errors.New("a wrong answer")

func echo(ctx context.Context, s *side) func() error {
	user := contract.Users(1)[0]
	return func() error {
		same, err := s.bench.Echo(ctx, user)
		if err == nil && same.ID != user.ID {
			err = errWrong
		}
		return err
	}
}

func list(ctx context.Context, s *side) func() error {
	return func() error {
		users, err := s.bench.List(ctx, contract.MaxList)
		if err == nil && len(users) != contract.MaxList {
			err = errWrong
		}
		return err
	}
}

func upload(size int) func(context.Context, *side) func() error {
	return func(ctx context.Context, s *side) func() error {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i * 7)
		}
		return func() error {
			n, err := s.bench.Upload(ctx, data)
			if err == nil && n != size {
				err = errWrong
			}
			return err
		}
	}
}

func startMany(ctx context.Context, t trial) (figures, error) {
	starter := contract.NewBenchStarter(t.side.caller)
	return t.measure(ctx, batch(together, func() func() error {
		wait := starter.Add(ctx, 4711, 1<<40)
		return func() error { return sum(wait()) }
	}))
}

// startOver starts the other side again and again.
func startOver(ctx context.Context, t trial) (figures, error) {
	into := newSamples()
	var total counted
	var used contract.Usage
	for total.calls < least || total.took < t.each {
		before, begin := ownUsage(), time.Now()
		other, err := t.channel.open(ctx)
		if err != nil {
			return figures{}, err
		}
		err = add(ctx, other)()
		took := time.Since(begin)
		var after contract.Usage
		if err == nil {
			after, err = other.usage(ctx)
		}
		other.close()
		if err != nil {
			return figures{}, err
		}
		record(into, took)
		total.took += took
		total.calls++
		used.CPU += after.CPU - before.CPU
		used.Allocations += after.Allocations - before.Allocations
	}
	t.samples.Merge(into)
	n := float64(total.calls)
	return figures{
		P50: float64(into.ValueAtPercentile(50)), P99: float64(into.ValueAtPercentile(99)),
		PerCall: float64(total.took) / n, CPU: float64(used.CPU) / n, Allocs: float64(used.Allocations) / n,
	}, nil
}
