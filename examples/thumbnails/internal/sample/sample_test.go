package sample_test

import (
	"bytes"
	"io/fs"
	"runtime"
	"strings"
	"testing"

	"github.com/tenon-go/tenon/examples/thumbnails/internal/sample"
	"github.com/tenon-go/tenon/examples/thumbnails/samples"
)

// The shipped bytes hold for the Go and the processor they were made with:
// another Go may compress differently, and another processor may round the
// scenes' arithmetic differently.
func TestMakingTheSamplesAgainGivesTheShippedBytes(t *testing.T) {
	if runtime.GOARCH != "amd64" || !strings.HasPrefix(runtime.Version(), "go1.26") {
		t.Skip("the samples were made with Go 1.26 on amd64")
	}
	if testing.Short() {
		t.Skip("drawing them all takes some seconds, with the race detector a minute")
	}
	made := map[string]bool{}
	for _, s := range sample.All() {
		made[s.Name] = true
		want, err := samples.FS.ReadFile(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from the shipped file: run go generate ./thumbnails/samples", s.Name)
		}
	}
	shipped, err := fs.ReadDir(samples.FS, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range shipped {
		if !made[file.Name()] {
			t.Errorf("%s is shipped, but no program makes it", file.Name())
		}
	}
}

func TestSamplesAreSmall(t *testing.T) {
	var total int64
	files, err := fs.ReadDir(samples.FS, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
		if info.Size() > 300_000 {
			t.Errorf("%s has %d bytes, want at most 300,000", file.Name(), info.Size())
		}
	}
	if total > 900_000 {
		t.Errorf("the samples have %d bytes together, want at most 900,000", total)
	}
}
