// Hello calls a method of an interface in a worker process.
//
//	go run ./examples/hello
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/worker"
)

//go:generate go tool tenon gen

// Greeter is the contract. NewGreeterClient and RegisterGreeter are generated
// from it.
//
//tenon:service
type Greeter interface {
	Hello(ctx context.Context, name string) (string, error)
}

// greeter is an implementation. It knows nothing of processes.
type greeter struct{}

func (greeter) Hello(_ context.Context, name string) (string, error) {
	return fmt.Sprintf("Hello %s, from process %d.", name, os.Getpid()), nil
}

func main() {
	// In a worker, which is this program started again, Main serves and exits.
	worker.Main("greeter", func(srv *tenon.Server) error {
		RegisterGreeter(srv, greeter{})
		return nil
	})

	ctx := context.Background()
	w, err := worker.Start(ctx, worker.Self("greeter"))
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()

	answer, err := NewGreeterClient(w).Hello(ctx, fmt.Sprintf("process %d", os.Getpid()))
	if err != nil {
		log.Print(err)
		return
	}
	fmt.Println(answer)
}
