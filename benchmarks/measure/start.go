package measure

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tenon-go/tenon/benchmarks/peers/peer"
)

// start starts p so many times and keeps the last one. took is the median time
// until the first answer.
func start(ctx context.Context, p peer.Peer, starts int) (client peer.Client, took time.Duration, err error) {
	var times []time.Duration
	for {
		settle()
		begin := time.Now()
		client, err := p.Start(ctx)
		if err != nil {
			return nil, 0, err
		}
		if _, err := client.Add(ctx, 1, 2); err != nil {
			return nil, 0, errors.Join(wrong("the first Add", err), client.Close())
		}
		times = append(times, time.Since(begin))
		if len(times) == starts {
			slices.Sort(times)
			return client, times[len(times)/2], nil
		}
		if err := client.Close(); err != nil {
			return nil, 0, err
		}
	}
}
