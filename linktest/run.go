package linktest

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/tenon-go/tenon"
)

// Run tests the links that pair makes: two ends of one fresh channel, joined to
// each other. Every check runs on pairs of its own, as a subtest named by the
// rule it holds the link to. Links that also satisfy tenon.DirectLink are held
// to its rules too. Where the two ends differ, run it again with the ends
// swapped: most checks send from a to b.
//
// pair may use t to fail and to clean up; Run closes both links itself. It is
// called a few hundred times. Nothing else may run in the process meanwhile,
// for Run also counts the goroutines, descriptors and child processes that
// closed links leave behind.
//
// The first check that hangs is the last one: what hangs stays, and everything
// after it would have to wait as long.
func Run(t *testing.T, pair func(t *testing.T) (a, b tenon.Link)) {
	t.Helper()
	checks := linkChecks
	if direct(t, pair) {
		checks = slices.Concat(linkChecks, directChecks)
	}
	var hung atomic.Bool
	for _, c := range checks {
		t.Run(c.rule, func(t *testing.T) {
			CheckLeaks(t)
			c.run(&bench{T: t, pair: pair, hung: &hung})
		})
		if hung.Load() {
			t.Fatal("something hangs, so that the rules that follow were not checked")
		}
	}
}

type check struct {
	rule string
	run  func(*bench)
}

func direct(t *testing.T, pair func(*testing.T) (a, b tenon.Link)) bool {
	t.Helper()
	a, b := pair(t)
	defer a.Close()
	defer b.Close()
	_, aDirect := a.(tenon.DirectLink)
	_, bDirect := b.(tenon.DirectLink)
	if aDirect != bDirect {
		t.Errorf("%T and %T: only one of them is a tenon.DirectLink", a, b)
	}
	return aDirect && bDirect
}
