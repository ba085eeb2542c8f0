package gen_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/diag"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/load"
)

// Each load reads much, once.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

var update = flag.Bool("update", false, "write the golden files")

// The packages below gentest are golden files that also compile and run.
func TestGeneratedCodeIsWhatIsCommitted(t *testing.T) {
	outputs, err := gen.Generate(context.Background(), load.Options{Dir: "../gentest", Patterns: []string{"./..."}})
	if err != nil {
		t.Fatal(err)
	}
	if len(outputs) < 4 {
		t.Errorf("%d outputs: packages are missing", len(outputs))
	}
	for _, o := range outputs {
		if *update {
			if err := o.Write(); err != nil {
				t.Fatal(err)
			}
		}
		current, err := o.Current()
		if err != nil {
			t.Fatal(err)
		}
		if !current {
			t.Errorf("%s is stale: run the test with -update, look at the difference and commit it", filepath.Base(o.Path))
		}
	}
}

func TestGeneratingTwiceGivesTheSame(t *testing.T) {
	opts := load.Options{Dir: "../gentest", Patterns: []string{"./kinds"}}
	first, err := gen.Generate(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	again, err := gen.Generate(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range first {
		if string(first[i].Text) != string(again[i].Text) {
			t.Errorf("%s differs from run to run", first[i].Path)
		}
	}
}

func TestProblemsAreReportedAllAtOnceWithPlaceAndWayOut(t *testing.T) {
	for _, name := range []string{"faults", "ports", "directives", "errors", "collisions"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("testdata", name)
			_, err := gen.Generate(context.Background(), load.Options{Dir: dir})
			var problems diag.Problems
			if !errors.As(err, &problems) {
				t.Fatalf("got %v", err)
			}
			absolute, err := filepath.Abs(dir)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, dir+".golden", problems.RelativeTo(absolute).Error()+"\n")
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
