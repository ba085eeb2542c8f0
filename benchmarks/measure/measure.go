// Package measure takes the figures of one peer in one round.
package measure

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/tenon-go/tenon/benchmarks/contract"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
	"github.com/tenon-go/tenon/benchmarks/result"
)

const (
	// patience bounds one round of one peer beyond the time it was given.
	patience = 30 * time.Second
	// starts is how often a peer is started in a round; the median counts.
	starts = 3
	// callers is how many goroutines call at once.
	callers = 64
	// listed is how many users a list has.
	listed = 100
)

// Peer measures p once: each figure takes about the time each. The other side is
// started for it and gone afterwards.
func Peer(ctx context.Context, p peer.Peer, each time.Duration) (result.Round, error) {
	return measured(ctx, p, each, starts, all)
}

// measured starts p so many times and has take take the figures.
func measured(ctx context.Context, p peer.Peer, each time.Duration, starts int, take func(context.Context, peer.Client, peer.Info, time.Duration, *result.Round) error) (round result.Round, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience+20*each, errors.New("no answer for too long"))
	defer cancel()
	// What callers have is a context that can be cancelled, without a deadline.
	calling, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, stop)()

	client, started, err := start(calling, p, starts)
	if err != nil {
		return round, cause(ctx, err)
	}
	round.StartMS = started.Seconds() * 1e3
	err = take(calling, client, p.Info(), each, &round)
	return round, errors.Join(cause(ctx, err), client.Close())
}

// all takes every figure but the start.
func all(ctx context.Context, c peer.Client, info peer.Info, each time.Duration, round *result.Round) error {
	add := adding(ctx, c)
	user := contract.Users(1)[0]
	echo := func() error {
		if same, err := c.Echo(ctx, user); err != nil || same.ID != user.ID {
			return wrong("Echo", err)
		}
		return nil
	}
	list := func() error {
		if users, err := c.List(ctx, listed); err != nil || len(users) != listed {
			return wrong("List", err)
		}
		return nil
	}

	var err error
	var used use
	if round.Add, used, err = latency(each, add); err != nil {
		return err
	}
	round.Allocs, round.CPU = used.allocs, used.cpu
	if round.Echo, _, err = latency(each, echo); err != nil {
		return err
	}
	if round.List, _, err = latency(each, list); err != nil {
		return err
	}
	round.Echo.Quantiles, round.List.Quantiles = nil, nil // only those of add are drawn
	if round.Parallel, err = parallel(each, add); err != nil {
		return err
	}
	if starter, ok := c.(peer.Starter); ok {
		if round.Started, err = started(ctx, each, starter); err != nil {
			return err
		}
	}
	for _, of := range []struct {
		size int
		rate *float64
	}{{1 << 20, &round.Upload1}, {16 << 20, &round.Upload16}} {
		if of.size > info.MaxUpload {
			continue
		}
		if *of.rate, err = upload(ctx, c, of.size, each); err != nil {
			return err
		}
	}
	return nil
}

func adding(ctx context.Context, c peer.Client) func() error {
	return func() error {
		if sum, err := c.Add(ctx, 4711, 1<<40); err != nil || sum != 1<<40+4711 {
			return wrong("Add", err)
		}
		return nil
	}
}

func wrong(method string, err error) error {
	if err == nil {
		err = errors.New("a wrong answer")
	}
	return fmt.Errorf("%s: %w", method, err)
}

// cause replaces an error by the reason why ctx ended, if it did.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// settle leaves what others have allocated behind.
func settle() { runtime.GC() }
