// Package bench measures what calls cost on this machine, over every channel
// that tenon has here, between two processes: the work of tenon bench.
//
// In each round every channel takes its turn, every second round backwards, so
// that whatever slows the machine down for a while hits them all. A turn starts
// the other side anew. What is reported is the median over the rounds.
package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tenon-go/tenon/internal/machine"
)

// A Plan is what to measure.
type Plan struct {
	Channels []string      // nil: all that this system has
	Cases    []string      // nil: all
	Rounds   int           // how often, at most
	Within   time.Duration // 0, or no round after the second is begun that would end later
	Each     time.Duration // how long a case of a channel takes in a round, beside warming up
	Watch    time.Duration // how long to look at the idle machine before

	// Progress is called before each case is measured, if it is not nil.
	Progress func(done, total int, channel, name string)
}

// Check names the first channel or case of the plan that does not exist, or that
// this system lacks.
func (p Plan) Check() error {
	if p.Channels != nil && len(p.Channels) == 0 {
		return fmt.Errorf("no channel is named; there are %s", ChannelNames())
	}
	if p.Cases != nil && len(p.Cases) == 0 {
		return fmt.Errorf("no case is named; there are %s", CaseNames())
	}
	for _, name := range p.Channels {
		i := slices.IndexFunc(channels, func(c channel) bool { return c.name == name })
		if i < 0 {
			return fmt.Errorf("there is no channel %q; there are %s", name, ChannelNames())
		}
		if why := channels[i].missing(); why != "" {
			return fmt.Errorf("the channel %s cannot be measured here: %s", name, why)
		}
	}
	for _, name := range p.Cases {
		if !slices.ContainsFunc(cases, func(c testCase) bool { return c.name == name }) {
			return fmt.Errorf("there is no case %q; there are %s", name, CaseNames())
		}
	}
	if p.jobs() == nil {
		return errors.New("none of these cases is measured over these channels")
	}
	return nil
}

// A job is one case of one channel, with what its rounds gave.
type job struct {
	channel channel
	test    testCase
	rounds  []figures
	samples *samples
}

// jobs are the jobs in the order of the report.
func (p Plan) jobs() []*job {
	var list []*job
	for _, t := range cases {
		for _, c := range channels {
			wanted := (p.Channels == nil || slices.Contains(p.Channels, c.name)) && (p.Cases == nil || slices.Contains(p.Cases, t.name))
			if wanted && c.missing() == "" && (t.only == nil || slices.Contains(t.only, c.name)) {
				list = append(list, &job{channel: c, test: t, samples: newSamples()})
			}
		}
	}
	return list
}

// Run carries the plan out. It leaves no process behind, and ends soon when ctx
// does.
func (p Plan) Run(ctx context.Context) (*Report, error) {
	report := &Report{Machine: machine.Here(), LeftOut: leftOut(p.Channels)}
	began := time.Now()
	before := machine.StartWatch()
	select {
	case <-time.After(p.Watch):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	othersBefore := before.Others()

	jobs := p.jobs()
	done := 0
	during := machine.StartWatch()
	first := time.Now()
	for round := range p.Rounds {
		if average := time.Since(first) / time.Duration(max(1, round)); p.Within > 0 && round > 1 && time.Since(began)+average > p.Within {
			break
		}
		report.rounds = round + 1
		for _, turn := range turns(jobs, round) {
			err := p.turn(ctx, turn, func(j *job) {
				if p.Progress != nil {
					p.Progress(done, p.Rounds*len(jobs), j.channel.name, j.test.name)
				}
				done++
			})
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", turn[0].channel.name, err)
			}
		}
	}
	report.fill(jobs, othersBefore, during.Others())
	return report, nil
}

// turns sorts the jobs by channel, backwards in every second round.
func turns(jobs []*job, round int) [][]*job {
	var list [][]*job
	for _, c := range channels {
		turn := slices.DeleteFunc(slices.Clone(jobs), func(j *job) bool { return j.channel.name != c.name })
		if len(turn) > 0 {
			list = append(list, turn)
		}
	}
	if round%2 == 1 {
		slices.Reverse(list)
	}
	return list
}

// patience is how long a turn may take beyond the time it was given.
const patience = 30 * time.Second

// turn measures jobs of one channel once.
func (p Plan) turn(ctx context.Context, jobs []*job, begin func(*job)) error {
	// What callers have is a context that can be cancelled, without a deadline.
	calling, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	timer := time.AfterFunc(patience+4*p.Each*time.Duration(len(jobs)), func() { stop(errors.New("no answer for too long")) })
	defer timer.Stop()

	var other *side
	for _, j := range jobs {
		begin(j)
		if other == nil && !j.test.alone {
			var err error
			if other, err = j.channel.open(calling); err != nil {
				return cause(calling, err)
			}
			defer other.close()
		}
		f, err := j.test.measure(calling, trial{channel: j.channel, side: other, each: p.Each, samples: j.samples})
		if err != nil {
			return cause(calling, fmt.Errorf("%s: %w", j.test.name, err))
		}
		j.rounds = append(j.rounds, f)
	}
	return nil
}

// cause replaces an error by the reason why ctx ended, if it did.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
