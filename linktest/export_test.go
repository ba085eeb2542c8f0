package linktest

import (
	"time"

	"github.com/tenon-go/tenon/internal/leak"
)

// BePatientFor sets how long a step that hangs, or a leak, is waited for.
func BePatientFor(d time.Duration) { patience, leak.Patience = d, d }
