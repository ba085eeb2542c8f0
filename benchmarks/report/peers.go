package main

import (
	"fmt"
	"strings"

	"github.com/tenon-go/tenon/benchmarks/result"
)

// kinds says what the kinds of peers are, in the words of the document.
var kinds = map[string]string{
	"ours":      "tenon",
	"floor":     "floor, no product",
	"peer":      "peer",
	"yardstick": "yardstick, one process",
}

func peers(run *result.Run) string {
	rows := [][]string{{"peer", "what it is", "kind", "version"}}
	var failures strings.Builder
	for _, p := range run.Peers {
		rows = append(rows, []string{p.Name, p.About, kinds[p.Kind], p.Version})
		if p.Failure != "" {
			fmt.Fprintf(&failures, "\n%s was not measured to the end: %s.\n", p.Name, p.Failure)
		}
	}
	return "\n## The peers\n\n" + markdown(rows) + failures.String()
}

func method(run *result.Run) string {
	return fmt.Sprintf(`
## How it is measured

- All serve one contract, `+"`benchmarks/contract`"+`, with the same objects. Client and
  server are two processes, except where a peer is marked as one process.
- Tenon is called through generated code with default options and the default
  GOMAXPROCS, with a context that can be cancelled; nothing marks a handler. The
  peers have their defaults too, but for limits on message sizes that the uploads
  would exceed, and for connection pools where a connection carries one call at a
  time.
- Peers generated from protobuf convert between their messages and the contract's
  types on the calling side, as an application does: below 0.1 µs per user.
- The server of each peer is a program that holds nothing else. Sockets are
  created before it starts, so that nobody waits for it to listen.
- In each round all peers take their turn, one after the other, every second round
  backwards. A turn starts the other side anew, three times (the median counts),
  warms each figure up for a quarter of its time, and ends it.
- The times of single calls include one look at the clock each, %.0f ns here.
`, run.Machine.ClockNS)
}
