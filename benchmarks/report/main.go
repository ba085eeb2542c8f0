// Command report writes BENCHMARKS.md and its plots from the file of results that
// the programs that measure have written, into the folder of the repository:
//
//	go run ./benchmarks/report benchmarks/results.json .
//	go run ./benchmarks/report -check benchmarks/results.json .
//
// With -check it writes nothing and names what is not as the results give it. The
// same results give the same files, byte for byte. What was not measured is left
// out.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tenon-go/tenon/benchmarks/result"
)

func main() {
	check := flag.Bool("check", false, "write nothing; say what is not up to date")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: report [-check] results.json FOLDER")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Arg(1), *check); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(results, folder string, check bool) error {
	f, err := result.Read(results)
	if err != nil {
		return err
	}
	files, err := report(f)
	if err != nil {
		return fmt.Errorf("%s: %w", results, err)
	}
	var stale []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if current, err := os.ReadFile(path); err == nil && bytes.Equal(current, files[name]) {
			continue
		}
		stale = append(stale, name)
		if check {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			return err
		}
	}
	if check && stale != nil {
		return fmt.Errorf("not what %s gives, run \"make report\": %s", results, strings.Join(stale, ", "))
	}
	return nil
}

// report returns the contents of all files by their names in the repository.
func report(f *result.File) (map[string][]byte, error) {
	if f.Calls == nil {
		return nil, errors.New("it holds no calls: run go run ./benchmarks -json FILE first")
	}
	files, err := plots(f)
	if err != nil {
		return nil, err
	}
	has := func(name string) bool { return files[name] != nil }
	text := document(f.Calls, f.Streams, has(latencyPlot))
	if f.Streams != nil {
		text += streams(f.Streams)
	}
	if f.Pressure != nil {
		text += pressure(f.Pressure, has(sizePlot))
	}
	if f.Ring != nil {
		text += ring(f.Ring, has(ringPlot))
	}
	files["BENCHMARKS.md"] = []byte(text)
	return files, nil
}

// picture shows a plot, if there is one.
func picture(shown bool, about, name string) string {
	if !shown {
		return ""
	}
	return "\n![" + about + "](" + name + ")\n"
}
