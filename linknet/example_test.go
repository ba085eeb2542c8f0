package linknet_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/rpc"
	"os"
	"time"

	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/linknet"
)

// Both ends are in one program here. Between two processes the links are
// those of package shm or iolink, and nothing else changes.
func Example() {
	ours, theirs := inproc.Pair()

	served := make(chan error)
	go func() {
		served <- http.Serve(linknet.Listen(theirs), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s over %s", r.URL.Path, r.RemoteAddr)
		}))
	}()

	client := &http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			return linknet.NewConn(ours), nil
		},
		MaxConnsPerHost: 1, // there is one link
	}}
	resp, err := client.Get("http://worker/hello")
	if err != nil {
		log.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	fmt.Printf("%s %v\n", body, err)

	client.CloseIdleConnections()
	fmt.Println("served until", <-served)
	// Output:
	// /hello over inproc <nil>
	// served until EOF
}

// Adder is a service of net/rpc. It knows nothing of links.
type Adder struct{}

func (Adder) Add(args [2]int, sum *int) error {
	*sum = args[0] + args[1]
	return nil
}

func ExampleNewConn_netRPC() {
	ours, theirs := inproc.Pair()

	srv := rpc.NewServer()
	srv.Register(Adder{})
	go srv.ServeConn(linknet.NewConn(theirs))

	client := rpc.NewClient(linknet.NewConn(ours))
	defer client.Close()
	var sum int
	err := client.Call("Adder.Add", [2]int{2, 3}, &sum)
	fmt.Println(sum, err)
	// Output: 5 <nil>
}

// A deadline ends a Read and leaves the connection as it was.
func ExampleNewConn() {
	x, y := inproc.Pair()
	a, b := linknet.NewConn(x), linknet.NewConn(y)
	defer a.Close()
	defer b.Close()

	a.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := a.Read(make([]byte, 10))
	fmt.Println(err, errors.Is(err, os.ErrDeadlineExceeded))

	a.SetReadDeadline(time.Time{})
	fmt.Fprintln(b, "after the deadline")
	var line [19]byte
	_, err = io.ReadFull(a, line[:])
	fmt.Printf("%s%v\n", line, err)
	// Output:
	// read inproc: i/o timeout true
	// after the deadline
	// <nil>
}

// links is a Source that hands on what a channel brings.
type links chan *inproc.Link

func (c links) Accept(ctx context.Context) (*inproc.Link, error) {
	select {
	case link := <-c:
		return link, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (links) Close() error   { return nil }
func (links) Addr() net.Addr { return linknet.Addr("inproc") }

func ExampleNewListener() {
	source := make(links, 1)
	l := linknet.NewListener(source)

	a, b := inproc.Pair()
	defer a.Close()
	source <- b
	conn, err := l.Accept()
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	fmt.Println(conn.RemoteAddr())

	l.Close()
	_, err = l.Accept()
	fmt.Println(err)
	// Output:
	// inproc
	// accept inproc inproc: use of closed network connection
}

func ExampleListen() {
	parent, child := inproc.Pair()
	l := linknet.Listen(child)
	defer l.Close()

	conn, err := l.Accept()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprint(conn, "hello")
	p, err := parent.Recv()
	fmt.Printf("%s %v\n", p, err)

	conn.Close()
	_, err = l.Accept() // all links have been closed
	fmt.Println(err)
	// Output:
	// hello <nil>
	// EOF
}
