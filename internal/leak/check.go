package leak

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// Patience is how long Check waits for things to end by themselves. Only tests
// of leaks change it.
var Patience = 5 * time.Second

// TB is the part of testing.TB that Check needs.
type TB interface {
	Helper()
	Cleanup(func())
	Failed() bool
	Errorf(format string, args ...any)
}

// Check notes what exists now and fails t if more exists when t ends.
func Check(t TB) {
	t.Helper()
	before := takeSnapshot()
	t.Cleanup(func() {
		t.Helper()
		if left := before.left(Patience); left != "" {
			t.Errorf("left behind by the test:\n%s", left)
		}
	})
}

// Main runs the tests of a package and reports what all of them together have
// left behind. It returns the exit status for os.Exit.
func Main(m *testing.M) int {
	before := takeSnapshot()
	code := m.Run()
	if code != 0 {
		return code // a failed test explains what it left
	}
	if left := before.left(Patience); left != "" {
		fmt.Fprintf(os.Stderr, "left behind by the tests of this package:\n%s", left)
		return 1
	}
	return 0
}
