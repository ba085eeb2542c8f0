// Command report writes BENCHMARKS.md, to the standard output, from the file of
// results that a run has written:
//
//	go run ./benchmarks/report benchmarks/results.json > BENCHMARKS.md
//
// The same file gives the same text, byte for byte.
package main

import (
	"fmt"
	"os"

	"github.com/tenon-go/tenon/benchmarks/result"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: report results.json > BENCHMARKS.md")
		os.Exit(2)
	}
	run, err := result.Read(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
	fmt.Print(document(run))
}
