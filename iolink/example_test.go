package iolink_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"

	"github.com/tenon-go/tenon/iolink"
)

func ExampleNew() {
	here, there := net.Pipe() // or net.Dial, a tls.Conn, an ssh channel
	a, b := iolink.New(here), iolink.New(there)
	defer b.Close()

	go func() {
		defer a.Close()
		a.Send([]byte("hello"))
	}()
	got, err := b.Recv()
	fmt.Println(string(got), err)
	_, err = b.Recv()
	fmt.Println(err == io.EOF)
	// Output:
	// hello <nil>
	// true
}

func ExamplePipe() {
	a, b, err := iolink.Pipe()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	defer b.Close()

	a.Send([]byte("hello"))
	got, err := b.Recv()
	fmt.Println(string(got), err, a.Kind())
	// Output: hello <nil> pipe
}

// A parent joins itself to the standard streams of a child, which in turn calls
// Stdio.
func ExampleNewReadWriter() {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childRole+"=echo")
	in, _ := child.StdinPipe()
	out, _ := child.StdoutPipe()
	if err := child.Start(); err != nil {
		fmt.Println(err)
		return
	}
	link := iolink.NewReadWriter(out, in)
	greeting, err := link.Recv()
	fmt.Print(string(greeting))
	link.Close() // the child sees io.EOF and ends
	fmt.Println(err, child.Wait())
	// Output:
	// printed before the link was there
	// <nil> <nil>
}
