package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tenon-go/tenon/benchmarks/result"
)

// summary says in a few lines how the smallest call compares: with the fastest
// peer, with gRPC as the best known, and with the floor.
func summary(run *result.Run) string {
	add := result.Figures[0]
	reference := run.Reference()
	if reference == nil {
		return ""
	}
	ours, ok := add.Of(reference)
	fastest := fastestPeer(run, add)
	if !ok || fastest == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nA call with two numbers takes %s µs with tenon: %s. In the same rounds:\n\n", result.Format(ours.Median), reference.About)
	for i := range run.Peers {
		p := &run.Peers[i]
		if p != fastest && p.Name != "grpc" && p.Kind != "floor" {
			continue
		}
		theirs, ok1 := add.Of(p)
		ratio, ok2 := add.Ratio(p, reference)
		if !ok1 || !ok2 {
			continue
		}
		fmt.Fprintf(&b, "- %s µs, %s times as long: %s", result.Format(theirs.Median), result.Format(ratio.Median), p.About)
		switch {
		case p == fastest:
			b.WriteString(", the fastest of the peers")
		case p.Kind == "floor":
			b.WriteString(", no product but a floor for sockets")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func fastestPeer(run *result.Run, f result.Figure) *result.Peer {
	var measured []*result.Peer
	for i := range run.Peers {
		if _, ok := f.Of(&run.Peers[i]); ok && run.Peers[i].Kind == "peer" {
			measured = append(measured, &run.Peers[i])
		}
	}
	if measured == nil {
		return nil
	}
	return slices.MinFunc(measured, func(a, b *result.Peer) int {
		x, _ := f.Of(a)
		y, _ := f.Of(b)
		return cmp.Compare(x.Median, y.Median)
	})
}
