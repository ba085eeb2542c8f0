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
}

// mostCompared bounds the time that the comparison adds to a large folder.
const mostCompared = 100

// compare makes thumbnails of good pictures again and throws them away. Both
// sides do as many at once, and take turns so that a machine which is busy with
// something else disturbs them alike: the difference is what the workers cost.
func compare(ctx context.Context, inWorkers, inThisProcess imaging.Imaging, good folder, o options) (*comparison, error) {
	good.names = good.names[:min(len(good.names), mostCompared)]
	if len(good.names) == 0 {
		return nil, nil
	}
	forget := func(result) error { return nil }
	took := map[imaging.Imaging]time.Duration{}
	turns := []imaging.Imaging{inWorkers, inThisProcess, inThisProcess, inWorkers}
	for _, img := range turns {
		done, err := makeThumbnails(ctx, img, good, o, forget)
		if err != nil {
			return nil, err
		}
		took[img] += done.took
	}
	rate := func(img imaging.Imaging) float64 {
		return float64(2*len(good.names)) / took[img].Seconds()
	}
	return &comparison{len(good.names), rate(inWorkers), rate(inThisProcess)}, nil
}
