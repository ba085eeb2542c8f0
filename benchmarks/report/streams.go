package main

import (
	"fmt"
	"strings"

	"github.com/tenon-go/tenon/benchmarks/result"
)

// streams is the part about streams and calls back.
func streams(run *result.Run) string {
	var b strings.Builder
	b.WriteString(`
## Streams

Streams, calls beside them, and handlers that call back; each round measures all of the
peers. Run it on yours: ` + "`go run ./benchmarks -streams`" + `.

`)
	fmt.Fprintf(&b, "Taken on %s: %s, %d CPUs, %s; %s, GOMAXPROCS %d.\n",
		run.Taken.Format("2 January 2006"), run.Machine.Processor(), run.Machine.CPUs, run.Machine.System, run.Machine.Go, run.Machine.GOMAXPROCS)
	fmt.Fprintf(&b, "%d rounds, about %d ms per figure, peer and round. %s\n", run.Rounds, run.EachMS, load(run.Load))
	if doubts := run.Doubts(); doubts != nil {
		b.WriteString("\n> **Read these figures with doubt.** " + strings.Join(doubts, "\n> ") + "\n")
	}
	b.WriteString("\nMedian over the rounds; M/s are millions of items per second.\n\n")
	b.WriteString(figures(run, result.StreamFigures))
	b.WriteString(`
- **items**: a number and a short text, 17 bytes in MessagePack as in protobuf, the same
  everywhere; **out** from the server, **in** to it. **Both ways**: each item that goes to
  the server comes back, while others are under way. One stream lasts as long as a figure
  takes; who receives looks at each item.
- **users**: the object of about 90 bytes, from the server. **64 KiB pieces**: bytes.
- **CPU**: what both sides together work per item.
- **add beside an unread**: how many times as long as alone an add takes at its p50, while
  a stream of the same client is open of which one item was read.
- **add beside 64 MiB p99**: adds while arguments of that size travel, one after the other.
- **call and call back**: a call whose handler calls the caller's own ` + "`Add`" + `.
  **Call and function**: one whose handler calls its function parameter.
- NATS publishes to a subscription, and nothing holds a publisher back. In bare frames
  each stream has a socket of its own, as many frames as fit travel with a write.
  Connect has its default compression.
`)
	if reference := run.Reference(); reference != nil {
		fmt.Fprintf(&b, "\nHow many times as good %s was in the same round:\n\n", reference.Name)
		b.WriteString(ratios(run, reference, compared(result.StreamFigures)))
	}
	b.WriteString("\nThe least and the greatest of the rounds:\n\n")
	b.WriteString(spreads(run, result.StreamFigures))
	return b.String()
}
