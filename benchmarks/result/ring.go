package result

import (
	"fmt"
	"time"

	"github.com/tenon-go/tenon/internal/machine"
)

// A RingRun is one run of the benchmarks of the ring.
type RingRun struct {
	Taken      time.Time       `json:"taken"`
	Machine    machine.Machine `json:"machine"`
	Load       Load            `json:"load"`
	Rounds     int             `json:"rounds"`
	EachMS     int64           `json:"each_ms"` // how long one size of a yardstick takes in a round
	Sizes      []int           `json:"sizes"`   // of the messages, in bytes
	Yardsticks []Yardstick     `json:"yardsticks"`
}

// A Yardstick is what was measured of one way to bring messages from a writer
// to a reader.
type Yardstick struct {
	Name    string      `json:"name"`
	About   string      `json:"about"`
	Kind    string      `json:"kind"`
	Version string      `json:"version,omitempty"`
	Rounds  [][]float64 `json:"rounds"`            // messages per second, by round and size
	Missing string      `json:"missing,omitempty"` // why it was not measured at all
	Failure string      `json:"failure,omitempty"` // what ended its measurement
}

// Reference is the yardstick that all others are compared with: the first one
// of our own. It is nil when none of ours was measured.
func (r *RingRun) Reference() *Yardstick {
	for i := range r.Yardsticks {
		if y := &r.Yardsticks[i]; y.Kind == "ours" && len(y.Rounds) > 0 {
			return y
		}
	}
	return nil
}

// Rate summarizes, over the rounds, the messages per second of the size with
// that index. ok is false when it was not measured.
func (y *Yardstick) Rate(size int) (s Spread, ok bool) {
	var values []float64
	for _, round := range y.Rounds {
		values = append(values, round[size])
	}
	return spreadOf(values)
}

// Ratio summarizes how many times as many messages as the yardstick the
// reference brought, each round compared with itself.
func (y *Yardstick) Ratio(size int, reference *Yardstick) (s Spread, ok bool) {
	var values []float64
	for i := range min(len(y.Rounds), len(reference.Rounds)) {
		values = append(values, reference.Rounds[i][size]/y.Rounds[i][size])
	}
	return spreadOf(values)
}

// Doubts says why the figures should not be believed, if so.
func (r *RingRun) Doubts() []string { return r.Load.doubts(r.Machine) }

// GiB is how many GiB/s so many messages per second of a size are.
func GiB(rate float64, size int) float64 { return rate * float64(size) / (1 << 30) }

// Bytes writes the size of a message for a person.
func Bytes(n int) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	if n >= 1<<10 && n%(1<<10) == 0 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}
