package main

import (
	"context"
	"time"

	"github.com/tenon-go/tenon/examples/thumbnails/imaging"
)

// A comparison is the same work done once more, in workers and without them.
type comparison struct {
	Pictures      int     `json:"pictures"`
	InWorkers     float64 `json:"in_workers_per_second"`
	InThisProcess float64 `json:"in_one_process_per_second"`

	lost []loss
}

// compare makes thumbnails of good pictures again and throws them away. Both
// sides do as many at once, and take turns so that a machine which is busy with
// something else disturbs them alike: the difference is what the workers cost.
func compare(ctx context.Context, inWorkers, inThisProcess imaging.Imaging, good folder, o options) (*comparison, error) {
	if len(good.names) == 0 {
		return nil, nil
	}
	forget := func(result) error { return nil }
	made, took := map[imaging.Imaging]int{}, map[imaging.Imaging]time.Duration{}
	c := &comparison{Pictures: len(good.names)}
	for _, img := range []imaging.Imaging{inWorkers, inThisProcess, inThisProcess, inWorkers} {
		done, err := makeThumbnails(ctx, img, good, o, forget)
		if err != nil {
			return nil, err
		}
		made[img] += len(done.good())
		took[img] += done.took
		c.lost = append(c.lost, done.lost()...)
	}
	c.InWorkers = float64(made[inWorkers]) / took[inWorkers].Seconds()
	c.InThisProcess = float64(made[inThisProcess]) / took[inThisProcess].Seconds()
	return c, nil
}
