// Command tenon generates the code that joins Go interfaces to package tenon.
//
// Add it to a module and write a directive where the interface is:
//
//	go get -tool github.com/tenon-go/tenon/cmd/tenon
//
//	//go:generate go tool tenon gen
//	//tenon:service
//	type Imaging interface {
//		Resize(ctx context.Context, img []byte, width int) ([]byte, error)
//	}
//
// It also talks to processes that serve, whatever their contracts are:
//
//	tenon ls unix:/run/imaging.sock
//	tenon call unix:/run/imaging.sock imaging.Imaging/Resize @picture.json 200
//
// And it measures what calls cost on this machine, between two processes:
//
//	tenon bench --quick
//
// "tenon help" lists the subcommands.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tenon-go/tenon/cmd/tenon/internal/bench"
)

func main() {
	bench.Main() // serves, where this process is the other side of a measurement
	os.Exit(run())
}

// run returns the exit status: 0, 1 for work that could not be done, 2 for a
// command line that makes no sense, 130 for what Ctrl-C ended.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // another one ends the command at once
	err := newCommand().ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, strings.TrimSpace(err.Error()))
	var usage usageError
	if errors.As(err, &usage) {
		fmt.Fprintf(os.Stderr, "\nRun \"%s --help\" for help.\n", usage.command)
		return 2
	}
	if ctx.Err() != nil {
		return 130 // as shells report it
	}
	return 1
}

func newCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "tenon",
		Short:         "Typed calls between the parts of one application",
		Long:          "tenon generates the code that joins Go interfaces to package\ngithub.com/tenon-go/tenon, talks to the processes that serve them, and measures\nwhat calls cost here.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknown(cmd, args[0])
		},
	}
	root.DisableFlagsInUseLine = true
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{cmd.CommandPath(), err}
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newGenCommand(), newLsCommand(), newCallCommand(), newBenchCommand(), newVersionCommand())
	return root
}

func unknown(cmd *cobra.Command, name string) error {
	text := fmt.Sprintf("there is no command %q", name)
	if similar := cmd.SuggestionsFor(name); len(similar) > 0 {
		text += "; did you mean " + strings.Join(similar, " or ") + "?"
	}
	return usageError{cmd.CommandPath(), errors.New(text)}
}

// A usageError is a command line that makes no sense.
type usageError struct {
	command string
	err     error
}

func (e usageError) Error() string { return "tenon: " + e.err.Error() }
func (e usageError) Unwrap() error { return e.err }
