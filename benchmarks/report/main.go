// Command report writes BENCHMARKS.md, to the standard output, from the files of
// results that go run . and go run ./ring have written:
//
//	go run ./benchmarks/report benchmarks/results.json benchmarks/ring.json > BENCHMARKS.md
//
// A second file that does not exist leaves out the part about the ring. The same
// files give the same text, byte for byte.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tenon-go/tenon/benchmarks/result"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: report results.json [ring.json] > BENCHMARKS.md")
		os.Exit(2)
	}
	text, err := report(os.Args[1], os.Args[2:]...)
	if err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
	fmt.Print(text)
}

func report(results string, rings ...string) (string, error) {
	run, err := result.Read(results)
	if err != nil {
		return "", err
	}
	text := document(run)
	for _, path := range rings {
		run, err := result.ReadRing(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		text += ring(run)
	}
	return text, nil
}
