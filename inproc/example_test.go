package inproc_test

import (
	"context"
	"fmt"

	"github.com/tenon-go/tenon/inproc"
)

func ExamplePair() {
	a, b := inproc.Pair()
	defer a.Close()
	defer b.Close()

	message := append(a.Reserve(16), "built in place"...)
	if err := a.Commit(message); err != nil {
		fmt.Println(err)
		return
	}
	a.Flush()

	got, err := b.Recv()
	fmt.Println(string(got), err)
	// Output: built in place <nil>
}

func ExampleLink_SendValue() {
	a, b := inproc.Pair()
	defer a.Close()
	defer b.Close()

	a.SendValue(context.Background(), map[string]int{"answer": 42})
	v, err := b.RecvValue(context.Background())
	fmt.Println(v, err)
	// Output: map[answer:42] <nil>
}
