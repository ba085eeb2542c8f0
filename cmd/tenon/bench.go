package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tenon-go/tenon/cmd/tenon/internal/bench"
)

func newBenchCommand() *cobra.Command {
	var (
		quick, asJSON  bool
		compare, plot  string
		channels, only []string
	)
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure what calls and streams cost on this machine",
		Long: `bench measures calls and streams between two processes on this machine, over
every channel that tenon has here, and shows how long they take, how much CPU
time they cost, and how much they allocate, on both sides together. It takes
about three minutes, with --quick less than twenty seconds.

It looks at what other programs use meanwhile, and says when the machine is too
busy to believe the figures. Single calls are steadiest in their p50.

` + bench.Explain(),
		Example: `  tenon bench --quick
  tenon bench --json > before.json
  tenon bench --compare before.json
  tenon bench --plot bench.svg --channel shm,unix`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(cmd, "bench takes no arguments, got %q", args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan := bench.Plan{Channels: channels, Cases: only, Rounds: 5, Each: 250 * time.Millisecond, Watch: time.Second}
			if quick {
				plan.Rounds, plan.Each, plan.Watch, plan.Within = 3, 15*time.Millisecond, 300*time.Millisecond, 17*time.Second
			}
			if err := plan.Check(); err != nil {
				return usage(cmd, "%w", err)
			}
			// What can fail fails before the run.
			var earlier *bench.Report
			if compare != "" {
				var err error
				if earlier, err = bench.Read(compare); err != nil {
					return fmt.Errorf("tenon bench: %w", err)
				}
				if err := plan.CheckCompare(earlier); err != nil {
					return fmt.Errorf("tenon bench: %s: %w", compare, err)
				}
			}
			var picture *replacement
			if plot != "" {
				if err := plan.CheckPlot(plot); err != nil {
					return usage(cmd, "%w", err)
				}
				var err error
				if picture, err = replace(plot); err != nil {
					return fmt.Errorf("tenon bench: the plot cannot be written: %w", err)
				}
				defer picture.abandon()
			}

			report, err := measure(cmd.Context(), plan)
			if err != nil {
				return err
			}
			if picture != nil {
				if err := errors.Join(report.Plot(picture, plot), picture.commit()); err != nil {
					return fmt.Errorf("tenon bench: the plot: %w", err)
				}
			}
			if err := show(cmd, report, earlier, asJSON); err != nil {
				return fmt.Errorf("tenon bench: %w", err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&quick, "quick", false, "short rounds: good for a look, not for a claim")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	flags.StringVar(&compare, "compare", "", "show ratios to an earlier run, the `file` that --json was written to")
	flags.StringVar(&plot, "plot", "", "draw latencies and throughput into a `file`, .svg or .png")
	flags.StringSliceVar(&channels, "channel", nil, "measure these `channels` only, separated by commas")
	flags.StringSliceVar(&only, "case", nil, "measure these `cases` only, separated by commas")
	return cmd
}

// measure carries the plan out, with a bar of progress on a terminal.
func measure(ctx context.Context, plan bench.Plan) (*bench.Report, error) {
	if term.IsTerminal(int(os.Stderr.Fd())) {
		var bar *progressbar.ProgressBar
		plan.Progress = func(done, total int, channel, name string) {
			if bar == nil {
				bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30))
			}
			bar.Describe(fmt.Sprintf("%-12s %-13s", channel, name))
			_ = bar.Set(done)
		}
		defer func() {
			if bar != nil {
				_ = bar.Clear()
			}
		}()
	}
	report, err := plan.Run(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, errors.New("tenon bench: interrupted")
	case err != nil:
		return nil, fmt.Errorf("tenon bench: %w", err)
	}
	return report, nil
}

// show prints the report. What is said beside JSON goes to the standard error.
func show(cmd *cobra.Command, report, earlier *bench.Report, asJSON bool) error {
	out, beside := cmd.OutOrStdout(), cmd.OutOrStdout()
	var text string
	if asJSON {
		data, err := report.JSON()
		if err != nil {
			return err
		}
		text, beside = string(data), cmd.ErrOrStderr()
	} else {
		text = report.Table(earlier)
	}
	if _, err := fmt.Fprint(out, text); err != nil {
		return err
	}
	notes := report.Warning()
	if earlier != nil {
		notes = report.Compare(earlier) + notes
	}
	_, err := fmt.Fprint(beside, notes)
	return err
}

// A replacement is a file that takes another one's place when it is complete.
type replacement struct {
	*os.File
	path string
}

// replace finds out whether a file can be written at path, by making one beside
// it.
func replace(path string) (*replacement, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory", path)
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if failure := (*os.PathError)(nil); errors.As(err, &failure) { // the name there is of no interest
		return nil, fmt.Errorf("%s: %w", path, failure.Err)
	} else if err != nil {
		return nil, err
	}
	return &replacement{file, path}, nil
}

func (r *replacement) commit() error {
	if err := errors.Join(r.Chmod(0o644), r.Close()); err != nil {
		return err
	}
	return os.Rename(r.Name(), r.path)
}

// abandon removes what was not committed.
func (r *replacement) abandon() {
	r.Close()
	os.Remove(r.Name()) // after commit it is not there
}
