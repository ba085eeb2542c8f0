package tenon_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
)

// busy computes for a while, so that the time is the handler's own.
func busy(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

func TestMethodRunsInPlaceWhileItIsShort(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		r := newRig(t, a, b)
		if got, err := r.py.methods[0].Call(t.Context(), r.x, "where"); err != nil || got != elsewhere {
			t.Errorf("at first it runs %s, %v", got, err)
		}
		r.py.settle(t, r.x, 0, inPlace)
		if got, err := r.py.methods[1].Call(t.Context(), r.x, "where"); err != nil || got != elsewhere {
			t.Errorf("another method runs %s, %v", got, err)
		}
	})
}

func TestSlowMethodNeverRunsInPlace(t *testing.T) {
	a, b := links(t)["shm"]()
	r := newRig(t, a, b)
	r.py.do("slow", func(context.Context) (string, error) {
		defer busy(100 * time.Microsecond)
		return where(), nil
	})
	for range 200 {
		if got, err := r.py.methods[0].Call(t.Context(), r.x, "slow"); err != nil || got != elsewhere {
			t.Fatalf("%q, %v", got, err)
		}
	}
}

// TestMethodThatTurnsSlowLeavesAndComesBack also has other methods called in
// turn: what is known of one must not depend on the order of their calls.
func TestMethodThatTurnsSlowLeavesAndComesBack(t *testing.T) {
	// Whose run is timed must not depend on where in the turn it comes.
	for n, others := range []int{0, 2, 1, 1, 1, 1, 1, 1, 1, 1} {
		t.Run(fmt.Sprint(others, " ", n), func(t *testing.T) {
			a, b := links(t)["shm"]()
			r := newRig(t, a, b)
			for i := range 1 + others {
				r.py.settle(t, r.x, i, inPlace)
			}
			for range n % 2 {
				r.py.methods[0].Call(t.Context(), r.x, "")
			}
			r.py.do("slow", func(context.Context) (string, error) {
				defer busy(100 * time.Microsecond)
				return where(), nil
			})
			left := false
			for n := 0; n < 2000 && !left; n++ {
				got, err := r.py.methods[0].Call(t.Context(), r.x, "slow")
				if err != nil {
					t.Fatal(err)
				}
				left = got == elsewhere
				for i := range others {
					r.py.methods[1+i].Call(t.Context(), r.x, "")
				}
			}
			if !left {
				t.Error("it runs in place after 2000 slow calls")
			}
			for i := range others {
				r.py.settle(t, r.x, 1+i, inPlace)
			}
			r.py.settle(t, r.x, 0, inPlace)
		})
	}
}

func TestMethodThatBlockedRunsElsewhereFromThenOn(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		r := newRig(t, a, b)
		open := make(chan struct{})
		blocked := r.block(t, func(context.Context) error { <-open; return nil })
		r.goesOn(t) // so the watch has acted
		if got, err := r.py.methods[0].Call(t.Context(), r.x, "where"); err != nil || got != elsewhere {
			t.Errorf("the next one runs %s, %v", got, err)
		}
		close(open)
		blocked.succeeds(t)
		r.py.settle(t, r.x, 0, inPlace) // it is forgiven
	})
}

// TestTimeBetweenCallsBackIsTheHandlers: also if that is more than their time, and in
// the calls that take part in more than their answer.
func TestTimeBetweenCallsBackIsTheHandlers(t *testing.T) {
	a, b := links(t)["unix"]()
	r := newRig(t, a, b)
	own := 20 * tenon.Brief()
	r.px.do("back", func(context.Context) (string, error) { busy(4 * own); return "", nil })
	back := func(ctx context.Context) error {
		_, err := r.px.methods[0].Call(ctx, tenon.ConnFrom(ctx), "back")
		return err
	}
	for i, around := range []func(ctx context.Context) error{
		func(ctx context.Context) error { busy(own); return back(ctx) },
		func(ctx context.Context) error {
			return back(tenon.WithProgress(ctx, func(tenon.Progress) { busy(own) }))
		},
		func(ctx context.Context) error {
			busy(own)
			return back(tenon.WithProgress(ctx, func(tenon.Progress) {}))
		},
	} {
		r.py.do("around", func(ctx context.Context) (string, error) { return "", around(ctx) })
		m := &r.py.methods[i]
		for range 100 {
			if _, err := m.Call(t.Context(), r.x, "around"); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := m.Call(t.Context(), r.x, "where"); got != elsewhere || err != nil {
			t.Errorf("handler %d runs %s, %v", i, got, err)
		}
	}
}

// TestTimeOfACallBackIsNotTheHandlers: while it waits, the handler reads for
// itself and holds nobody up, unless it has to sleep.
func TestTimeOfACallBackIsNotTheHandlers(t *testing.T) {
	overLinks(t, func(t *testing.T, pair func() (a, b tenon.Link)) {
		a, b := pair()
		r := newRig(t, a, b)
		back := 20 * time.Microsecond
		r.px.do("back", func(context.Context) (string, error) { busy(back); return "", nil })
		r.py.do("around", func(ctx context.Context) (string, error) {
			return r.px.methods[0].Call(ctx, tenon.ConnFrom(ctx), "back")
		})
		call := func(what string) string {
			got, err := r.py.methods[0].Call(t.Context(), r.x, what)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		for end := time.Now().Add(20 * time.Second); call("where") != inPlace; {
			if time.Now().After(end) {
				t.Fatal("it never runs in place")
			}
			for range 100 {
				call("around")
			}
		}
		back = 5 * time.Millisecond
		for n := 0; call("where") == inPlace; n++ {
			if n == 100 {
				t.Fatal("it still runs in place")
			}
			call("around")
		}
	})
}
