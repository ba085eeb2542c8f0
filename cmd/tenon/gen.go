package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/diag"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/load"
)

func newGenCommand() *cobra.Command {
	var (
		opts  load.Options
		check bool
	)
	cmd := &cobra.Command{
		Use:   "gen [packages]",
		Short: "Generate what joins interfaces to tenon",
		Long: `gen writes, for every file foo.go with an interface that is marked

	//tenon:service
	type Imaging interface {
		Resize(ctx context.Context, img []byte, width int) ([]byte, error)
	}

a file foo_tenon.go with NewImagingClient, RegisterImaging,
RegisterImagingPerConn, CheckImaging and NewImagingStarter. The first parameter
of a method is a context.Context. Others are values, streams (iter.Seq2[T, error])
and functions, in any order. Results are

	(values..., error)           an answer
	iter.Seq2[T, error], ...     one stream or several, and nothing else
	nothing                      one way: the caller does not wait

A function has the form func([context.Context,] values...) (values..., error), or
no results. Arguments, and items of streams that are arguments, are checked before
the handler gets them if their type has a method Validate() error. A method that
may be called twice says so in its comment:

	//tenon:idempotent
	Size(ctx context.Context, img []byte) (int, error)

Errors that are marked

	//tenon:error
	var ErrTooSmall = errors.New("the image is too small")

	//tenon:error
	type FormatError struct{ Format string }

are found in the caller's error by errors.Is and errors.As.

Packages are named as for the go command; without any it is the one in the
current directory. Files that are up to date are left alone, and those whose
service is gone are removed.`,
		Example: `  tenon gen                 the package in this directory
  tenon gen ./...           all packages below
  tenon gen --check ./...   in CI: is everything up to date?`,
		RunE: func(cmd *cobra.Command, patterns []string) error {
			opts.Patterns = patterns
			outputs, err := gen.Generate(cmd.Context(), opts)
			var problems diag.Problems
			switch {
			case errors.As(err, &problems):
				return errors.New(relative(problems).Error())
			case err != nil:
				return fmt.Errorf("tenon gen: %w", err)
			case len(outputs) == 0:
				return fmt.Errorf("tenon gen: nothing in %s has a //tenon:service or //tenon:error comment", describe(patterns))
			}
			stale, err := staleOf(outputs)
			if err != nil {
				return fmt.Errorf("tenon gen: %w", err)
			}
			if check {
				return complain(stale)
			}
			return write(cmd.OutOrStdout(), stale)
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "write nothing; name the files that are not up to date and exit with status 1")
	cmd.Flags().StringVar(&opts.Tags, "tags", "", "build `tags`, separated by commas")
	return cmd
}

func staleOf(outputs []gen.Output) ([]gen.Output, error) {
	var stale []gen.Output
	for _, o := range outputs {
		current, err := o.Current()
		if err != nil {
			return nil, err
		}
		if !current {
			stale = append(stale, o)
		}
	}
	return stale, nil
}

func write(to io.Writer, stale []gen.Output) error {
	for _, o := range stale {
		if err := o.Write(); err != nil {
			return fmt.Errorf("tenon gen: %w", err)
		}
		if o.Text == nil {
			fmt.Fprintf(to, "removed %s\n", relativePath(o.Path))
		} else {
			fmt.Fprintf(to, "wrote %s\n", relativePath(o.Path))
		}
	}
	return nil
}

func complain(stale []gen.Output) error {
	if len(stale) == 0 {
		return nil
	}
	var lines []string
	for _, o := range stale {
		lines = append(lines, "\t"+relativePath(o.Path))
	}
	return fmt.Errorf("tenon gen: not up to date, run \"go generate\":\n%s", strings.Join(lines, "\n"))
}

func describe(patterns []string) string {
	if len(patterns) == 0 {
		return "the package in this directory"
	}
	return strings.Join(patterns, " ")
}

func relative(problems diag.Problems) diag.Problems {
	dir, err := os.Getwd()
	if err != nil {
		return problems
	}
	return problems.RelativeTo(dir)
}

func relativePath(path string) string {
	dir, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(dir, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}
