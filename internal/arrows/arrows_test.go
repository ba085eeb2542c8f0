// Package arrows holds the architecture's table of imports as a test.
package arrows

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/tenon-go/tenon"

// allowed names, for each package of the root module, which other packages of
// it may be imported by its code (not by its tests). An arrow that is missing
// here is a decision: take it in ARCHITECTURE.md first.
var allowed = map[string][]string{
	".":                  {"codec", "iolink", "internal/call", "internal/linkerr", "internal/pump", "internal/shape", "internal/spin", "internal/wire"},
	"codec":              {},
	"inproc":             {"internal/bytequeue", "internal/linkerr"},
	"intercept":          {"."},
	"iolink":             {"internal/bytequeue", "internal/linkerr", "internal/pump"},
	"linknet":            {".", "internal/pump"},
	"linktest":           {".", "internal/leak"},
	"pool":               {".", "inproc", "internal/call"},
	"ring":               {"internal/futex", "internal/linkerr", "internal/spin"},
	"shm":                {"internal/linkerr", "internal/spin", "ring"},
	"worker":             {".", "internal/call", "internal/proc", "iolink", "shm"},
	"internal/bytequeue": {"internal/linkerr"},
	"internal/call":      {"codec", "internal/spin", "internal/wire"},
	"internal/futex":     {},
	"internal/gentest":   {".", "codec", "internal/gentest/geo"},
	"internal/leak":      {},
	"internal/linkerr":   {},
	"internal/machine":   {},
	"internal/proc":      {},
	"internal/pump":      {"internal/bytequeue", "internal/linkerr"},
	"internal/shape":     {},
	"internal/spin":      {},
	"internal/wire":      {},
}

// modules are what the root's go.mod may require.
var modules = []string{"github.com/tinylib/msgp", "github.com/philhofer/fwd", "golang.org/x/sys"}

func TestArrows(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if _, err := os.Stat(filepath.Join(path, "go.mod")); path != root && err == nil || d.Name() == "testdata" || d.Name() == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		dir, _ := filepath.Rel(root, filepath.Dir(path))
		dir = filepath.ToSlash(dir)
		seen[dir] = true
		may, known := allowed[dir]
		if !known && !strings.HasPrefix(dir, "internal/gentest/") {
			t.Errorf("package %s is not in the table", dir)
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			to, _ := strconv.Unquote(spec.Path.Value)
			to, ours := strings.CutPrefix(to, module)
			if !ours {
				continue
			}
			to = strings.TrimPrefix(to, "/")
			if to == "" {
				to = "."
			}
			if known && !slices.Contains(may, to) {
				t.Errorf("%s: %s must not import %s", path, dir, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range allowed {
		if !seen[dir] {
			t.Errorf("the table has %s, which does not exist", dir)
		}
	}
}

func TestRootStaysLight(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mod)) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) < 2 || !strings.HasPrefix(fields[1], "v") || !strings.Contains(fields[0], ".") {
			continue
		}
		if !slices.Contains(modules, fields[0]) {
			t.Errorf("go.mod requires %s: write the reason into ARCHITECTURE.md and the name into this test", fields[0])
		}
	}
}
