// Thumbnails makes thumbnails and a contact sheet of a folder of pictures.
//
//	go run ./examples/thumbnails [flags] [DIR]
//
// A picture from a stranger can crash its decoder, or be one that is small on
// disk and enormous in memory. So the pictures are decoded in worker processes:
// a bad one costs a worker, which is replaced, and not the program.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/pool"
	"github.com/tenon-go/tenon/worker"

	"github.com/tenon-go/tenon/examples/thumbnails/imaging"
)

// memoryLimit is what a worker may use. A photograph of 24 megapixels takes up
// to 150 MiB, and what the one before it took may not be collected yet.
const memoryLimit = 512 << 20

func main() {
	// A worker is this very program, started again. There, Main serves the
	// parent's calls until the parent is done; here it returns at once.
	worker.Main("thumbnails", func(srv *tenon.Server) error {
		imaging.RegisterImaging(srv, imaging.New())
		return nil
	})
	os.Exit(command(os.Args[1:], os.Stdout, os.Stderr))
}

// startWorkers starts n of them. The pool gives a call to a worker that is free,
// and replaces one that dies. A worker has one call at a time, so that a picture
// which kills it takes no other with it.
func startWorkers(ctx context.Context, n int) (*pool.Pool, error) {
	limits := []worker.Option{worker.MemoryLimit(memoryLimit)}
	if runtime.GOOS != "linux" {
		fmt.Fprintf(os.Stderr, "thumbnails: on %s workers have no memory limit; a bomb among the pictures takes gigabytes\n", runtime.GOOS)
		limits = nil
	}
	start := func(ctx context.Context) (pool.Member, error) {
		return worker.Start(ctx, worker.Self("thumbnails"), limits...)
	}
	return pool.New(ctx, n, start, pool.Concurrency(1))
}

// run makes thumbnails and contact sheet.
func run(ctx context.Context, o options) (*summary, error) {
	pictures, err := openFolder(o.dir)
	if err != nil {
		return nil, err
	}
	album, err := openAlbum(o.out, o.dir)
	if err != nil {
		return nil, err
	}
	workers, err := startWorkers(ctx, o.workers)
	if err != nil {
		return nil, err
	}
	defer workers.Close()

	// The client is an imaging.Imaging, and so is the implementation that the
	// workers serve: the same code works with either.
	inWorkers, inThisProcess := imaging.NewImagingClient(workers), imaging.New()

	bar := newBar(len(pictures.names), os.Stderr)
	defer bar.Exit()
	made, err := makeThumbnails(ctx, inWorkers, pictures, o, func(r result) error {
		defer bar.Add(1)
		return album.keep(r)
	})
	if err != nil {
		return nil, err
	}
	compared, err := compare(ctx, inWorkers, inThisProcess, pictures.only(made.some(2*time.Second)), o)
	if err != nil {
		return nil, err
	}
	s := summarize(pictures, made, compared, o, workers.Stats())
	return s, album.addSheet(s)
}
