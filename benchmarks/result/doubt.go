package result

import (
	"fmt"
	"strings"

	"github.com/tenon-go/tenon/internal/machine"
)

// wide is how many times its least the greatest p50 of the rounds may be.
const wide = 1.5

// Doubts says why the figures should not be believed, if so.
func (r *Run) Doubts() []string {
	doubts := r.Load.doubts(r.Machine)
	var unsteady []string
	for i := range r.Peers {
		if s, ok := Figures[0].Of(&r.Peers[i]); ok && s.Max > wide*s.Min {
			unsteady = append(unsteady, fmt.Sprintf("%s (%s to %s µs)", r.Peers[i].Name, Format(s.Min), Format(s.Max)))
		}
	}
	if unsteady != nil {
		doubts = append(doubts, fmt.Sprintf("From round to round the p50 of add changed by more than a factor of %.1f: %s.", wide, strings.Join(unsteady, ", ")))
	}
	return doubts
}

func (l Load) doubts(m machine.Machine) []string {
	var doubts []string
	if l.Before > machine.Busy {
		doubts = append(doubts, fmt.Sprintf("Other programs kept %.1f of %d CPUs busy before the run started.", l.Before, m.CPUs))
	}
	if l.During > machine.Busy {
		doubts = append(doubts, fmt.Sprintf("Other programs kept %.1f of %d CPUs busy during the run.", l.During, m.CPUs))
	}
	return doubts
}
