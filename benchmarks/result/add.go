package result

import "slices"

// Add puts the rounds of an earlier run before those of r, for peers that both
// have, as if it had been one run. The load is that of the busier one.
func (r *Run) Add(earlier *Run) {
	r.Rounds += earlier.Rounds
	r.Load.Before = max(r.Load.Before, earlier.Load.Before)
	r.Load.During = max(r.Load.During, earlier.Load.During)
	for i := range r.Peers {
		p := &r.Peers[i]
		at := slices.IndexFunc(earlier.Peers, func(e Peer) bool { return e.Name == p.Name })
		if at < 0 {
			continue
		}
		p.Rounds = slices.Concat(earlier.Peers[at].Rounds, p.Rounds)
		if p.Failure == "" {
			p.Failure = earlier.Peers[at].Failure
		}
	}
}
