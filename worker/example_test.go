//go:build linux

package worker_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/worker"
)

// greet stands for a client that the generator made.
var greet = tenon.Method[string, string]{
	Name: "example.Greeter/Greet", Shape: "(name string) (string)", Args: text, Result: text,
}

// registerGreeter is what a program passes to worker.Main: it runs in the worker
// and registers the services that the worker offers.
func registerGreeter(srv *tenon.Server) error {
	tenon.Handle(srv, &greet, func(ctx context.Context, name string) (string, error) {
		switch name {
		case "":
			os.Exit(3) // a worker may end at any time
		case "your parent":
			return greet.Call(ctx, tenon.ConnFrom(ctx), "a worker")
		}
		return "hello " + name, nil
	})
	return nil
}

// A part of this very program in a process of its own. The first line of main
// (here of TestMain) is
//
//	worker.Main("greeter", registerGreeter)
func Example() {
	ctx := context.Background()
	w, err := worker.Start(ctx, worker.Self("greeter"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()

	answer, err := greet.Call(ctx, w, "Ada")
	fmt.Println(answer, err, "over", w.Kind())
	// Output: hello Ada <nil> over shm
}

// The error of a call says what became of the worker.
func ExampleExitError() {
	ctx := context.Background()
	w, err := worker.Start(ctx, worker.Self("greeter"), worker.Name("greeter-7"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()

	_, err = greet.Call(ctx, w, "")
	var exit *worker.ExitError
	if errors.As(err, &exit) {
		fmt.Println(exit.Name, "ended with status", exit.Status)
	}
	fmt.Println("safe to retry:", tenon.SafeToRetry(err))
	// Output:
	// greeter-7 ended with status 3
	// safe to retry: false
}

func ExampleStart() {
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	w, err := worker.Start(context.Background(), worker.Self("greeter"),
		worker.Name("greeter-left"),
		worker.MemoryLimit(256<<20),
		worker.Env("GOMAXPROCS=1"),
		worker.Log(logger),
		worker.Over(worker.UnixSocket),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(w.Name(), "over", w.Kind())
	fmt.Println("closed:", w.Close())
	// Output:
	// greeter-left over unix
	// closed: <nil>
}

// Another program calls Serve. Started by hand it says what it is.
func ExampleServe() {
	srv := tenon.NewServer()
	if err := registerGreeter(srv); err != nil {
		fmt.Println(err)
	}
	if err := worker.Serve(context.Background(), srv); err != nil {
		fmt.Println(err)
	}
	// Output: this program is a tenon worker: start it with worker.Start(ctx, worker.Program(...))
}

// A handler calls services of the process that started its worker.
func ExampleBack() {
	back := tenon.NewServer()
	tenon.Handle(back, &greet, func(_ context.Context, name string) (string, error) {
		return "the parent greets " + name, nil
	})
	ctx := context.Background()
	w, err := worker.Start(ctx, worker.Self("greeter"), worker.Back(back))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	fmt.Println(greet.Call(ctx, w, "your parent"))
	// Output: the parent greets a worker <nil>
}
