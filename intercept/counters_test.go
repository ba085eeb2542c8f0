package intercept_test

import (
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"log/slog"
	"sync"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/intercept"
)

var _ expvar.Var = (*intercept.Counters)(nil)

func TestCountersCountEveryCallOnce(t *testing.T) {
	var here, there intercept.Counters
	release := make(chan struct{})
	answer := func(_ context.Context, what string) (string, error) {
		switch what {
		case "fail":
			return "", errors.New("sold out")
		case "denied":
			return "", &tenon.Error{Code: tenon.PermissionDenied}
		case "panic":
			panic("oh")
		case "block":
			<-release
		}
		return what + what, nil
	}
	srv := shop(answer, tenon.WithLogger(slog.New(slog.DiscardHandler)), tenon.WithHandlerInterceptor(there.Intercept))
	conn := connect(t, srv, tenon.WithCallInterceptor(here.Intercept))
	const times = 20
	var all sync.WaitGroup
	for range times {
		for _, what := range []string{"tea", "fail", "denied", "panic"} {
			all.Go(func() { _, _ = order.Call(t.Context(), conn, what) })
		}
	}
	all.Wait()
	all.Go(func() { _, _ = lookUp.Call(t.Context(), conn, "block") })
	eventually(t, "a call is in flight", func() bool { return there.Snapshot()[lookUp.Name].InFlight == 1 })
	if s := here.Snapshot()[lookUp.Name]; s.InFlight != 1 || s.Calls != 0 {
		t.Errorf("in flight: %+v", s)
	}
	close(release)
	all.Wait()
	eventually(t, "the handler's side has counted", func() bool { return there.Snapshot()[lookUp.Name].Calls == 1 })
	for side, c := range map[string]*intercept.Counters{"here": &here, "there": &there} {
		s := c.Snapshot()[order.Name]
		sent, received := s.SentBytes, s.ReceivedBytes
		if side == "there" {
			sent, received = received, sent
		}
		if s.Calls != 4*times || s.InFlight != 0 || len(s.Failed) != 3 || s.Latency.Count != s.Calls ||
			s.Failed[tenon.Unknown] != times || s.Failed[tenon.PermissionDenied] != times || s.Failed[tenon.Panicked] != times ||
			sent != times*(4+5+7+6) || received != times*7 {
			t.Errorf("%s: %+v", side, s)
		}
	}
	var read map[string]map[string]any
	if err := json.Unmarshal([]byte(there.String()), &read); err != nil {
		t.Fatal(err)
	}
	o := read[order.Name]
	if o["calls"] != 4.*times || o["failed"].(map[string]any)["permission denied"] != 1.*times || o["p50_ns"].(float64) <= 0 || o["p99_ns"].(float64) > o["max_ns"].(float64) {
		t.Errorf("%v", there.String())
	}
}
