package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// Exit statuses.
const (
	succeeded   = 0
	failed      = 1
	misused     = 2
	interrupted = 130 // as a shell reports a program that Ctrl-C ended
)

// options are what the command line says.
type options struct {
	dir     string // of the pictures; empty for the samples
	out     string
	workers int
	size    int
	json    bool
}

// command runs the program and returns its exit status.
func command(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return succeeded
	case err != nil:
		fmt.Fprintln(stderr, "thumbnails:", err)
		return misused
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := run(ctx, o)
	switch {
	case err != nil && ctx.Err() != nil:
		fmt.Fprintf(stderr, "thumbnails: stopped; the thumbnails made so far are in %s\n", o.out)
		return interrupted
	case err != nil:
		fmt.Fprintln(stderr, "thumbnails:", err)
		return failed
	}
	if o.json {
		encoder := json.NewEncoder(stdout)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(s)
	} else {
		err = s.print(stdout)
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "thumbnails: print the summary:", err)
		return failed
	case s.Made == 0:
		fmt.Fprintln(stderr, "thumbnails: no picture could be read")
		return failed
	}
	return succeeded
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("thumbnails", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are printed once, by command
	flags.StringVar(&o.out, "out", "thumbs", "folder to write thumbnails and contact sheet to")
	flags.IntVar(&o.workers, "workers", runtime.NumCPU(), "number of worker processes")
	flags.IntVar(&o.size, "size", 240, "longest side of a thumbnail in pixels")
	flags.BoolVar(&o.json, "json", false, "print the summary as JSON")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stderr, "Thumbnails makes thumbnails and a contact sheet of the JPEG, PNG, GIF and WebP\n"+
			"pictures in DIR, or of sample pictures, in worker processes.\n\n"+
			"usage: thumbnails [flags] [DIR]\n\n")
		flags.SetOutput(stderr)
		flags.PrintDefaults()
		return o, err
	case err != nil:
		return o, fmt.Errorf("%w (-help lists the flags)", err)
	case flags.NArg() > 1:
		return o, fmt.Errorf("one folder at a time, flags before it: what is %q?", flags.Arg(1))
	case o.workers < 1 || o.workers > 256:
		return o, fmt.Errorf("-workers %d: choose 1 to 256", o.workers)
	case o.size < 1 || o.size > 4096:
		return o, fmt.Errorf("-size %d: choose 1 to 4096", o.size)
	}
	o.dir = flags.Arg(0)
	return o, nil
}
