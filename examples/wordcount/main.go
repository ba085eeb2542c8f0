// Wordcount counts the words of texts of any size in worker processes.
//
//	go run ./examples/wordcount [flags] [FILE...]
//
// A text is streamed to a worker, and partial counts are streamed back. However
// slow the counting is, the reading is ahead of it by a little only: the program
// shows by how much. "-rest 50ms" makes it slow.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/pool"
	"github.com/tenon-go/tenon/worker"
)

func main() {
	worker.Main("wordcount", func(srv *tenon.Server) error {
		RegisterCounter(srv, counter{})
		return nil
	})
	workers := flag.Int("workers", runtime.NumCPU(), "number of worker processes, each of which counts one file at a time")
	top := flag.Int("top", 10, "how many of the most frequent words to print")
	rest := flag.Duration("rest", 0, "have the workers rest after each 64 KiB")
	flag.Usage = func() {
		fmt.Fprint(os.Stderr, "Wordcount counts the words of files, or of the standard input.\n\nusage: wordcount [flags] [FILE...]\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if *workers < 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	t := newTally(flag.Args())
	switch err := run(ctx, min(*workers, max(1, flag.NArg())), flag.Args(), *rest, t); {
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "wordcount: stopped")
		os.Exit(130) // as a shell reports a program that Ctrl-C ended
	case err != nil:
		fmt.Fprintln(os.Stderr, "wordcount:", err)
		os.Exit(1)
	}
	t.print(os.Stdout, *top)
}

// run counts the words of the files, as many at once as there are workers.
func run(ctx context.Context, workers int, files []string, rest time.Duration, t *tally) error {
	p, err := pool.New(ctx, workers, func(ctx context.Context) (pool.Member, error) {
		return worker.Start(ctx, worker.Self("wordcount"))
	})
	if err != nil {
		return err
	}
	defer p.Close()
	defer t.bar.Exit()
	client := NewCounterClient(p)
	if len(files) == 0 {
		return count(ctx, client, "standard input", untilDone(ctx, os.Stdin), rest, t)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for _, name := range files {
		group.Go(func() error {
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			defer f.Close()
			return count(ctx, client, name, f, rest, t)
		})
	}
	return group.Wait()
}

// count counts the words of one text. The text is read on another goroutine while
// this one takes counts; either waits when the other is behind.
func count(ctx context.Context, client Counter, name string, text io.Reader, rest time.Duration, t *tally) error {
	from := t.meter(text)
	for counts, err := range client.Count(ctx, tenon.ReadStream(from), rest) {
		if err != nil && from.err != nil {
			return from.err // of which the worker has only heard
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		t.add(counts)
	}
	return nil
}

// untilDone returns what r has until ctx ends. Reading from a terminal itself cannot
// be broken off, and a call ends after its streams.
func untilDone(ctx context.Context, r io.Reader) io.Reader {
	out, in := io.Pipe()
	go func() {
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { in.CloseWithError(errors.New("stopped")) })
	return out
}
