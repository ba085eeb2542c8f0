package linktest

import (
	"testing"

	"github.com/tenon-go/tenon"
)

// Run tests the links that pair makes: two ends of one fresh channel, joined to
// each other. Every check runs on a pair of its own, in both directions, as a
// subtest named by the rule it holds the link to. Links that also satisfy
// tenon.DirectLink are held to its rules too.
//
// pair may use t to fail and to clean up; Run closes both links itself. It is
// called a few hundred times. Nothing else may run in the process meanwhile,
// for Run also counts the goroutines, descriptors and child processes that
// closed links leave behind.
func Run(t *testing.T, pair func(t *testing.T) (a, b tenon.Link)) {
	t.Helper()
	for _, c := range linkChecks {
		runBothWays(t, c.rule, pair, func(b *bench) { c.run(b) })
	}
	if !direct(t, pair) {
		return
	}
	for _, c := range directChecks {
		runBothWays(t, "direct: "+c.rule, pair, func(b *bench) { c.run(b) })
	}
}

type check struct {
	rule string
	run  func(*bench)
}

func runBothWays(t *testing.T, rule string, pair func(*testing.T) (a, b tenon.Link), run func(*bench)) {
	t.Run(rule, func(t *testing.T) {
		t.Run("forth", func(t *testing.T) {
			CheckLeaks(t)
			run(&bench{T: t, pair: pair})
		})
		t.Run("back", func(t *testing.T) {
			CheckLeaks(t)
			run(&bench{T: t, pair: func(t *testing.T) (a, b tenon.Link) {
				b, a = pair(t)
				return a, b
			}})
		})
	})
}

func direct(t *testing.T, pair func(*testing.T) (a, b tenon.Link)) (yes bool) {
	t.Run("shape", func(t *testing.T) {
		a, b := pair(t)
		defer a.Close()
		defer b.Close()
		_, aDirect := a.(tenon.DirectLink)
		_, bDirect := b.(tenon.DirectLink)
		yes = aDirect && bDirect
	})
	return yes
}
