package result

import (
	"time"

	"github.com/tenon-go/tenon/internal/machine"
)

// A PressureRun is what tenon's shared memory does where the machine has other
// things to do, or much of the same.
type PressureRun struct {
	Taken       time.Time       `json:"taken"`
	Machine     machine.Machine `json:"machine"`
	Load        Load            `json:"load"`
	Rounds      int             `json:"rounds"`
	EachMS      int64           `json:"each_ms"` // how long a figure takes in a round
	Duels       []Duel          `json:"duels"`
	Connections []Connections   `json:"connections"`
	Transfers   []Transfer      `json:"transfers"`
}

// A Duel is a scenario in which connections that poll as they do by default and
// connections that never poll took turns.
type Duel struct {
	Group   string      `json:"group"`
	Name    string      `json:"name"`
	Rounds  []DuelRound `json:"rounds"`
	Missing string      `json:"missing,omitempty"` // why it was not measured
}

// A DuelRound is one round of a duel.
type DuelRound struct {
	Polling  Cost `json:"polling"`
	Sleeping Cost `json:"sleeping"`
}

// A Cost is what calls cost, in nanoseconds.
type Cost struct {
	P50     float64 `json:"p50_ns"`
	P99     float64 `json:"p99_ns"`
	PerCall float64 `json:"per_call_ns"` // what the whole took, divided by the calls
	CPU     float64 `json:"cpu_ns"`      // of both sides, per call
}

// Lost is how many times as long the calls of the side that polls took in a
// round: above 1 polling lost.
func (r DuelRound) Lost() float64 { return r.Polling.PerCall / r.Sleeping.PerCall }

// Lost summarizes Lost over the rounds.
func (d *Duel) Lost() (Spread, bool) {
	var values []float64
	for _, r := range d.Rounds {
		values = append(values, r.Lost())
	}
	return spreadOf(values)
}

// Of summarizes a figure of the rounds.
func (d *Duel) Of(get func(DuelRound) float64) (Spread, bool) {
	var values []float64
	for _, r := range d.Rounds {
		values = append(values, get(r))
	}
	return spreadOf(values)
}

// Connections is what so many idle connections between two processes cost. Each
// has carried a call before.
type Connections struct {
	Count   int     `json:"count"`
	CPU     float64 `json:"idle_cpus"`       // CPUs that both processes kept busy
	Heap    float64 `json:"heap_bytes"`      // of the calling process, per connection
	Client  float64 `json:"client_bytes"`    // private memory of the calling process, per connection
	Server  float64 `json:"server_bytes"`    // that of the serving process
	Shared  float64 `json:"shared_bytes"`    // memory that both see, as far as it was touched, per connection
	Threads int     `json:"threads"`         // of both processes
	None    int     `json:"threads_without"` // the same before the first connection
	Failure string  `json:"failure,omitempty"`
}

// A Transfer is what arguments cost by their size, over one link.
type Transfer struct {
	Link   string      `json:"link"`
	Sizes  []int       `json:"sizes"`  // bytes
	Rounds [][]float64 `json:"rounds"` // nanoseconds per call, by round and size
}

// Time summarizes the nanoseconds per call of the size with that index.
func (t *Transfer) Time(size int) (Spread, bool) {
	var values []float64
	for _, round := range t.Rounds {
		values = append(values, round[size])
	}
	return spreadOf(values)
}

// Doubts says why the figures should not be believed, if so.
func (r *PressureRun) Doubts() []string { return r.Load.doubts(r.Machine) }
