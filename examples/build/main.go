// Build makes files by the commands of a build file, in a worker process.
//
//	go run ./examples/build [flags] [BUILDFILE]
//
// The build talks with its caller while it lasts: it reports its progress, hands on
// what commands print, asks before it overwrites a file, and asks for settings that
// the build file refers to. Whatever the commands leave running ends with the worker.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/worker"
)

func main() {
	worker.Main("build", func(srv *tenon.Server) error {
		RegisterBuilder(srv, builder{})
		return nil
	})
	settings := make(map[string]string)
	flag.Func("set", "a setting, as `NAME=VALUE`; may be repeated", func(s string) error {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return errors.New("want NAME=VALUE")
		}
		settings[name] = value
		return nil
	})
	yes := flag.Bool("yes", false, "overwrite files without a question")
	flag.Usage = func() {
		fmt.Fprint(os.Stderr, "Build makes files by the commands of a build file (./Buildfile).\n\nusage: build [flags] [BUILDFILE]\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	buildfile := "Buildfile"
	switch flag.NArg() {
	case 0:
	case 1:
		buildfile = flag.Arg(0)
	default:
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := run(ctx, buildfile, newConsole(*yes, settings))
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "build: stopped")
		os.Exit(130) // as a shell reports a program that Ctrl-C ended
	case errors.Is(err, ErrNobody):
		fmt.Fprintf(os.Stderr, "build: %v; -yes and -set NAME=VALUE answer beforehand\n", ErrNobody)
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "build:", words(err))
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "%d made, %d kept, %d up to date\n", len(report.Made), len(report.Kept), len(report.UpToDate))
}

func run(ctx context.Context, buildfile string, c *console) (Report, error) {
	back := tenon.NewServer()
	RegisterSettings(back, c)
	w, err := worker.Start(ctx, worker.Self("build"), worker.Back(back))
	if err != nil {
		return Report{}, err
	}
	defer w.Close()
	defer c.clear()
	return NewBuilderClient(w).Build(tenon.WithProgress(ctx, c.progress), buildfile, c.output, c.overwrite)
}

// words are an error's, without who said them and in which call, if they are the
// build's own. When the worker is lost, the error says which, and why.
func words(err error) string {
	var e *tenon.Error
	if errors.As(err, &e) && e.Code == tenon.Unknown {
		return e.Message
	}
	return err.Error()
}
