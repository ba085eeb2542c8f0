package measure

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/tenon-go/tenon/benchmarks/contract"
	"github.com/tenon-go/tenon/benchmarks/peers/peer"
	"github.com/tenon-go/tenon/benchmarks/result"
)

// Streams measures the streams of p once, and calls beside them, as Peer does its
// calls.
func Streams(ctx context.Context, p peer.Peer, each time.Duration) (result.Round, error) {
	return measured(ctx, p, each, 1, streams)
}

// streams takes what c has of the figures.
func streams(ctx context.Context, c peer.Client, info peer.Info, each time.Duration, round *result.Round) (err error) {
	add := adding(ctx, c)
	var used use
	if round.Add, used, err = latency(each, add); err != nil {
		return err
	}
	round.Allocs, round.CPU, round.Add.Quantiles = used.allocs, used.cpu, nil
	feed := c.Feed()
	if feed == nil {
		return nil
	}
	for _, of := range []struct {
		rate *result.Rate
		run  func(n int) (int, error)
	}{
		{&round.Out, func(n int) (int, error) { return contract.Collected(feed.Items(ctx, n)) }},
		{&round.In, func(n int) (int, error) { return feed.Collect(ctx, contract.ItemsOf(n)) }},
		{&round.Both, func(n int) (int, error) { return contract.Collected(feed.Exchange(ctx, contract.ItemsOf(n))) }},
		{&round.Users, func(n int) (int, error) { return count(feed.Users(ctx, n)) }},
		{&round.Pieces, func(n int) (int, error) { return count(feed.Pieces(ctx, n)) }},
	} {
		r, err := rate(each, of.run)
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
		*of.rate = r
	}
	if info.Unread {
		if round.BesideAdd, err = besideUnread(ctx, feed, each, add); err != nil {
			return err
		}
	}
	if info.MaxUpload >= largeSize {
		if round.BesideLarge, err = besideLarge(ctx, c, each, add); err != nil {
			return err
		}
	}
	if back := c.Back(); back != nil {
		round.BackCall, round.Function, err = calledBack(ctx, back, each)
	}
	return err
}

func count[T any](stream iter.Seq2[T, error]) (n int, err error) {
	for _, err := range stream {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// rate runs streams, each read to its end: longer and longer ones that warm up and
// show how fast it goes, then one that fills the time.
func rate(each time.Duration, run func(n int) (int, error)) (r result.Rate, err error) {
	timed := func(n int) (time.Duration, error) {
		begin := time.Now()
		got, err := run(n)
		if err == nil && got != n {
			err = errors.New("items are missing")
		}
		if err != nil {
			err = wrong("a stream", err)
		}
		return max(time.Since(begin), 1), err
	}
	n := 64
	for {
		took, err := timed(n)
		if err != nil {
			return r, err
		}
		if took >= each/4 {
			n = max(1, int(float64(n)*float64(each)/float64(took)))
			break
		}
		n *= 4
	}
	settle()
	work := StartWork()
	took, err := timed(n)
	if err != nil {
		return r, err
	}
	if done, ok := work.Done(); ok {
		r.CPU = float64(done) / float64(n)
	}
	r.PerSecond = float64(n) / took.Seconds()
	return r, nil
}

// endless is more items than anybody sends in a round.
const endless = 1 << 40

// besideUnread is the median time of a call beside a stream of which one item was
// read, and no more.
func besideUnread(ctx context.Context, feed contract.Feed, each time.Duration, call func() error) (p50 float64, err error) {
	begun, leave, over := make(chan error, 1), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for _, err := range feed.Items(ctx, endless) {
			begun <- err
			<-leave
			return
		}
	}()
	if err := <-begun; err != nil {
		return 0, wrong("a stream", err)
	}
	l, _, err := latency(each, call)
	close(leave)
	<-over
	return l.P50, err
}

const largeSize = 64 << 20

// besideLarge is the 99th percentile of the time of a call beside arguments of
// largeSize, one after the other.
func besideLarge(ctx context.Context, c peer.Client, each time.Duration, call func() error) (p99 float64, err error) {
	data := make([]byte, largeSize)
	stop := make(chan struct{})
	failed := make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				failed <- nil
				return
			default:
			}
			if n, err := c.Upload(ctx, data); err != nil || n != len(data) {
				failed <- wrong("Upload", err)
				return
			}
		}
	}()
	l, _, err := latency(each, call)
	close(stop)
	return l.P99, errors.Join(err, <-failed)
}

// calledBack measures calls whose handler calls the caller, who waits.
func calledBack(ctx context.Context, back contract.Back, each time.Duration) (service, function float64, err error) {
	sum := func(got int64, err error) error {
		if err != nil || got != 1<<40+4711 {
			return wrong("a call back", err)
		}
		return nil
	}
	s, _, err1 := latency(each, func() error { return sum(back.AddBack(ctx, 4711, 1<<40)) })
	f, _, err2 := latency(each, func() error { return sum(back.AddWith(ctx, 4711, 1<<40, contract.Local{}.Add)) })
	return s.P50, f.P50, errors.Join(err1, err2)
}
