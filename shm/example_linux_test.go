package shm_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"

	"github.com/tenon-go/tenon/shm"
)

func ExamplePair() {
	a, b, err := shm.Pair()
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()

	go func() {
		defer a.Close()
		if err := a.Send([]byte("over the same memory")); err != nil {
			log.Fatal(err)
		}
	}()

	p, err := b.Recv()
	fmt.Printf("%s %v\n", p, err)
	_, err = b.Recv()
	fmt.Println(err)
	// Output:
	// over the same memory <nil>
	// EOF
}

// The parent's side; the child calls
// shm.Attach(os.NewFile(3, "memory"), os.NewFile(4, "socket")).
func ExampleCreate() {
	link, peer, err := shm.Create(shm.Size(64 << 10))
	if err != nil {
		log.Fatal(err)
	}
	defer link.Close()

	cmd := exec.Command("true") // a child that ends without attaching
	cmd.ExtraFiles = []*os.File{peer.Memory, peer.Socket}
	err = cmd.Start()
	peer.Close()
	if err != nil {
		log.Fatal(err)
	}
	_, err = link.Recv()
	fmt.Println(err)
	cmd.Wait()
	// Output: tenon: peer is gone
}

// Two processes that know a name. Here they are goroutines.
func ExampleListen() {
	l, err := shm.Listen("@tenon-example") // or a path
	if err != nil {
		log.Fatal(err)
	}
	defer l.Close()

	go func() { // in the other process
		link, err := shm.Dial(context.Background(), "@tenon-example")
		if err != nil {
			log.Fatal(err)
		}
		defer link.Close()
		if err := link.Send([]byte("a stranger's hello")); err != nil {
			log.Fatal(err)
		}
	}()

	link, err := l.Accept(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer link.Close()
	p, err := link.Recv()
	fmt.Printf("%s %v\n", p, err)
	// Output: a stranger's hello <nil>
}
