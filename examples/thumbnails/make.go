package main

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tenon-go/tenon/worker"

	"github.com/tenon-go/tenon/examples/thumbnails/imaging"
)

// A result is what became of one picture.
type result struct {
	name   string
	bytes  int64 // -1 when it could not be read
	thumb  imaging.Thumb
	failed error // why there is no thumbnail
}

// A batch is what became of many.
type batch struct {
	results []result // in the order of the names; without the thumbnails' bytes
	took    time.Duration
}

// makeThumbnails makes the thumbnails of a folder, as many at once as there are
// workers, and hands each result to done, from several goroutines. It knows
// nothing of workers: img may be a client of them, or the implementation itself.
// A picture that fails is a result; an error from done ends the run.
func makeThumbnails(
	ctx context.Context, img imaging.Imaging, from folder, o options, done func(result) error,
) (batch, error) {
	began := time.Now()
	results := make([]result, len(from.names))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(o.workers)
	for i, name := range from.names {
		group.Go(func() error {
			r := makeThumbnail(ctx, img, from, name, o.size)
			if err := context.Cause(ctx); err != nil {
				return err // the run ends: what r says is of no interest
			}
			err := done(r)
			r.thumb.JPEG = nil
			results[i] = r
			return err
		})
	}
	err := group.Wait()
	return batch{results, time.Since(began)}, err
}

func makeThumbnail(ctx context.Context, img imaging.Imaging, from folder, name string, size int) result {
	r := result{name: name, bytes: -1}
	picture, err := from.read(name)
	if err != nil {
		r.failed = err
		return r
	}
	r.bytes = int64(len(picture))
	r.thumb, r.failed = img.Thumbnail(ctx, picture, size)
	return r
}

// good returns the names of the pictures that have a thumbnail.
func (b batch) good() []string {
	var names []string
	for _, r := range b.results {
		if r.failed == nil {
			names = append(names, r.name)
		}
	}
	return names
}

// some returns as many of the good ones as can be made again within d.
func (b batch) some(d time.Duration) []string {
	names := b.good()
	return names[:min(len(names), 1+int(b.rate()*d.Seconds()))]
}

// lost returns the workers that died in the middle of a picture.
func (b batch) lost() []loss {
	var lost []loss
	for _, r := range b.results {
		if exit := (*worker.ExitError)(nil); errors.As(r.failed, &exit) {
			lost = append(lost, loss{exit.Name, exit.PID, legible(r.name)})
		}
	}
	return lost
}

// rate is the number of thumbnails that were made in a second.
func (b batch) rate() float64 { return float64(len(b.good())) / b.took.Seconds() }
