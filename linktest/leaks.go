package linktest

import (
	"testing"

	"github.com/tenon-go/tenon/internal/leak"
)

// CheckLeaks fails t when goroutines, descriptors or child processes exist at
// its end that did not exist when CheckLeaks was called. Call it first, so that
// it looks last. What ends by itself within a few seconds is no leak. It cannot
// be used in tests that run in parallel to others.
func CheckLeaks(t testing.TB) {
	t.Helper()
	leak.Check(t)
}
