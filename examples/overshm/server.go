package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/linknet"
	"github.com/tenon-go/tenon/shm"
)

// serveParent is the child's main. It ends when the parent does.
func serveParent(over string) error {
	web, rpc, err := inherited(over)
	if err != nil {
		return err
	}
	return serve(web, handler(), rpc, services())
}

// handler knows nothing of what it is served over.
func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "Hello %s, from process %d.\n", r.PathValue("name"), os.Getpid())
	})
	mux.HandleFunc("GET /zeros/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.ParseInt(r.PathValue("n"), 10, 64)
		io.CopyN(w, zeros{}, n)
	})
	return mux
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// services are those of a gRPC server, likewise.
func services() *grpc.Server {
	srv := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(srv, health.NewServer())
	return srv
}

func serve(web net.Listener, h http.Handler, rpc net.Listener, services *grpc.Server) error {
	server := &http.Server{Handler: h, Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)

	var serving errgroup.Group
	serving.Go(func() error { return unlessEOF(server.Serve(web)) })
	serving.Go(func() error { return unlessEOF(services.Serve(rpc)) })
	return serving.Wait()
}

// unlessEOF takes the end of all links for what it is: the parent has ended.
func unlessEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// inherited returns the listeners that the parent has given us as descriptors
// from 3 on.
func inherited(over string) (web, rpc net.Listener, err error) {
	if over == overUnix {
		if web, err = net.FileListener(os.NewFile(3, "web")); err != nil {
			return nil, nil, err
		}
		rpc, err = net.FileListener(os.NewFile(4, "rpc"))
		return web, rpc, err
	}
	links := make([]tenon.Link, shmLinks)
	for i := range links {
		memory, socket := os.NewFile(uintptr(3+2*i), "memory"), os.NewFile(uintptr(4+2*i), "socket")
		if links[i], err = shm.Attach(memory, socket); err != nil {
			return nil, nil, err
		}
	}
	return linknet.Listen(links[:2]...), linknet.Listen(links[2]), nil
}
