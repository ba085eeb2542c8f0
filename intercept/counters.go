package intercept

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tenon-go/tenon"
)

// Counters count calls by method. Their Intercept is the interceptor; the zero
// value is ready for use. They are an expvar.Var:
//
//	expvar.Publish("calls", counters)
//
// Calls and handlers of one program are better counted apart, in two of them.
type Counters struct {
	methods sync.Map // of *methodCounters by name
}

type methodCounters struct {
	inFlight             atomic.Int64
	sent, received       atomic.Int64
	sentItems, recvItems atomic.Int64
	latency              histogram

	mu     sync.Mutex
	failed map[tenon.Code]uint64
}

// MethodStats are the counts of one method since the beginning.
type MethodStats struct {
	Calls    uint64                // that are over, failed ones too
	Failed   map[tenon.Code]uint64 // by code
	InFlight int64                 // now

	SentBytes, ReceivedBytes int64 // see tenon.CallInfo
	SentItems, ReceivedItems int64

	Latency Histogram // of all calls that are over
}

// Intercept counts a call. It is a [tenon.Interceptor].
func (c *Counters) Intercept(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) error {
	m, known := c.methods.Load(info.Method)
	if !known {
		m, _ = c.methods.LoadOrStore(info.Method, new(methodCounters))
	}
	counters := m.(*methodCounters)
	counters.inFlight.Add(1)
	began := time.Now()
	err := errPanicked // unless next returns
	defer func() { counters.count(info, time.Since(began), err) }()
	err = next(ctx)
	return err
}

func (m *methodCounters) count(info *tenon.CallInfo, took time.Duration, err error) {
	m.sent.Add(info.SentBytes)
	m.received.Add(info.ReceivedBytes)
	m.sentItems.Add(info.SentItems)
	m.recvItems.Add(info.ReceivedItems)
	m.latency.add(took)
	if err != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.failed == nil {
			m.failed = make(map[tenon.Code]uint64)
		}
		m.failed[tenon.CodeOf(err)]++
	}
	m.inFlight.Add(-1)
}

// Snapshot returns the counts of all methods, by wire name. Calls that end
// meanwhile may be in some of a method's counts and not yet in others.
func (c *Counters) Snapshot() map[string]MethodStats {
	all := make(map[string]MethodStats)
	c.methods.Range(func(name, m any) bool {
		all[name.(string)] = m.(*methodCounters).snapshot()
		return true
	})
	return all
}

func (m *methodCounters) snapshot() MethodStats {
	s := MethodStats{
		Failed: make(map[tenon.Code]uint64), InFlight: m.inFlight.Load(),
		SentBytes: m.sent.Load(), ReceivedBytes: m.received.Load(),
		SentItems: m.sentItems.Load(), ReceivedItems: m.recvItems.Load(),
		Latency: m.latency.snapshot(),
	}
	s.Calls = s.Latency.Count
	m.mu.Lock()
	defer m.mu.Unlock()
	for code, n := range m.failed {
		s.Failed[code] = n
	}
	return s
}

// MarshalJSON returns the counts as an object, with an object for each method;
// durations are in nanoseconds, codes have their names.
func (c *Counters) MarshalJSON() ([]byte, error) { return json.Marshal(c.Snapshot()) }

// String returns the same as MarshalJSON, as package expvar wants it.
func (c *Counters) String() string {
	b, _ := c.MarshalJSON() // numbers and names: it cannot fail
	return string(b)
}

// MarshalJSON is what [Counters.MarshalJSON] has for one method.
func (s MethodStats) MarshalJSON() ([]byte, error) {
	failed := make(map[string]uint64, len(s.Failed))
	for code, n := range s.Failed {
		failed[code.String()] = n
	}
	return json.Marshal(struct {
		Calls         uint64            `json:"calls"`
		Failed        map[string]uint64 `json:"failed"`
		InFlight      int64             `json:"in_flight"`
		SentBytes     int64             `json:"sent_bytes"`
		ReceivedBytes int64             `json:"received_bytes"`
		SentItems     int64             `json:"sent_items"`
		ReceivedItems int64             `json:"received_items"`
		Mean          time.Duration     `json:"mean_ns"`
		P50           time.Duration     `json:"p50_ns"`
		P90           time.Duration     `json:"p90_ns"`
		P99           time.Duration     `json:"p99_ns"`
		Max           time.Duration     `json:"max_ns"`
	}{
		s.Calls, failed, s.InFlight, s.SentBytes, s.ReceivedBytes, s.SentItems, s.ReceivedItems,
		s.Latency.Mean(), s.Latency.Quantile(0.5), s.Latency.Quantile(0.9), s.Latency.Quantile(0.99), s.Latency.Max,
	})
}
