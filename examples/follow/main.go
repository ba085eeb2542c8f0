// Follow prints the lines that are appended to files, as "tail -F" does, also when
// the files are rotated or cut short.
//
//	go run ./examples/follow [flags] FILE...
//
// The files are followed by worker processes, each of which streams lines to this
// program. A file system that hangs, as one over the network may, then holds up a
// worker; and a worker that is lost is replaced by one that goes on where it was.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/pool"
	"github.com/tenon-go/tenon/worker"
)

func main() {
	worker.Main("follow", func(srv *tenon.Server) error {
		RegisterFollower(srv, follower{})
		return nil
	})
	workers := flag.Int("workers", 2, "number of worker processes")
	all := flag.Bool("all", false, "begin with what the files have already")
	flag.Usage = func() {
		fmt.Fprint(os.Stderr, "Follow prints the lines that are appended to files, until Ctrl-C.\n\nusage: follow [flags] FILE...\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 || *workers < 1 {
		flag.Usage()
		os.Exit(2)
	}
	files := make([]Position, flag.NArg())
	for i, name := range flag.Args() {
		files[i] = Position{name, AtEnd}
		if *all {
			files[i].Offset = 0
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, min(*workers, len(files)), files); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "follow:", err)
		os.Exit(1)
	}
}

// run follows the files until ctx ends. Each worker has a share of them; what its
// stream has is printed as it comes.
func run(ctx context.Context, workers int, files []Position) error {
	p, err := pool.New(ctx, workers, func(ctx context.Context) (pool.Member, error) {
		return worker.Start(ctx, worker.Self("follow"))
	})
	if err != nil {
		return err
	}
	defer p.Close()
	out := &printer{lines: os.Stdout, notes: os.Stderr, names: len(files) > 1}
	group, ctx := errgroup.WithContext(ctx)
	for i := range workers {
		var share []Position
		for j := i; j < len(files); j += workers {
			share = append(share, files[j])
		}
		group.Go(func() error { return follow(ctx, NewFollowerClient(p), share, out) })
	}
	return group.Wait()
}

// follow prints the lines of some files. A stream whose worker is lost ends with an
// error that says so; the next one begins after the last line.
func follow(ctx context.Context, client Follower, files []Position, out *printer) error {
	for {
		err := followOnce(ctx, client, files, out)
		var lost *worker.ExitError
		if !errors.As(err, &lost) {
			return err
		}
		fmt.Fprintf(out.notes, "follow: %v; another one goes on\n", lost)
	}
}

// followOnce prints lines until the stream of them ends, and notes in files how far
// it has come.
func followOnce(ctx context.Context, client Follower, files []Position, out *printer) error {
	for line, err := range client.Follow(ctx, files) {
		if err != nil {
			return err
		}
		if err := out.print(line); err != nil {
			return err
		}
		for i := range files {
			if files[i].File == line.Next.File {
				files[i] = line.Next
			}
		}
	}
	return ctx.Err()
}

// A printer prints the lines of several streams, one at a time. While it waits for
// whoever reads them, those streams wait too.
type printer struct {
	mu           sync.Mutex
	lines, notes io.Writer
	names        bool // of the files, before each line
}

func (p *printer) print(l Line) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	switch {
	case l.Note:
		_, err = fmt.Fprintf(p.notes, "follow: %s %s\n", l.Next.File, l.Text)
	case p.names:
		_, err = fmt.Fprintf(p.lines, "%s: %s\n", l.Next.File, l.Text)
	default:
		_, err = fmt.Fprintln(p.lines, l.Text)
	}
	return err
}
