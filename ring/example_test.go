package ring_test

import (
	"context"
	"fmt"
	"io"
	"log"

	"github.com/tenon-go/tenon/ring"
)

func Example() {
	mem, err := ring.Alloc(64 << 10)
	if err != nil {
		log.Fatal(err)
	}
	w, err := ring.NewWriter(mem)
	if err != nil {
		log.Fatal(err)
	}
	r, err := ring.NewReader(mem)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()

	go func() {
		defer w.Close()
		for _, word := range []string{"mortise", "and", "tenon"} {
			if err := w.Write(ctx, []byte(word)); err != nil {
				log.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil { // one publication for all three
			log.Fatal(err)
		}
	}()

	for {
		p, err := r.Read(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(p))
	}
	// Output:
	// mortise
	// and
	// tenon
}

// A message built where the reader reads it.
func ExampleWriter_Reserve() {
	mem, _ := ring.Alloc(64 << 10)
	w, _ := ring.NewWriter(mem)
	r, _ := ring.NewReader(mem)

	p := w.Reserve(64)
	p = fmt.Appendf(p, "%d dovetails", 12)
	if err := w.Commit(p); err != nil {
		log.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}

	n, err := r.Drain(func(p []byte) bool {
		fmt.Println(string(p))
		return true
	})
	fmt.Println(n, err)
	// Output:
	// 12 dovetails
	// 1 <nil>
}
