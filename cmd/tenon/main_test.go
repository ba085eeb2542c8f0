package main

import (
	"encoding/base64"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tenon-go/tenon/cmd/tenon/internal/bench"
)

func TestMain(m *testing.M) {
	bench.Main()
	testscript.Main(m, map[string]func(){"tenon": main, "shop": serveShop})
}

// The scripts run the command in modules of their own. They use the caches of
// the machine, so that no network is needed once this module was built.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	caches := []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GOTOOLCHAIN"}
	out, err := exec.Command("go", append([]string{"env"}, caches...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(string(out), "\n") // one a line, also those that are empty
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("ROOT", root)
			env.Setenv("PID", strconv.Itoa(os.Getpid())) // for names that all of the machine share
			env.Setenv("GOWORK", "off")
			env.Setenv("GOGC", "400") // much is read, once
			env.Setenv("GOFLAGS", "-mod=mod")
			for i, name := range caches {
				env.Setenv(name, values[i])
			}
			return nil
		},
		Condition: func(name string) (bool, error) {
			variable, ok := strings.CutPrefix(name, "env:")
			if !ok {
				return false, errors.New("unknown condition " + name)
			}
			return os.Getenv(variable) != "", nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"large":  large,
			"module": module,
			"status": status,
			"start":  start,
		},
	})
}

// large writes large.json, a string, and large.jsonl, two articles.
func large(ts *testscript.TestScript, _ bool, _ []string) {
	text := `"` + base64.StdEncoding.EncodeToString(make([]byte, 1<<20)) + "\"\n"
	ts.Check(os.WriteFile(ts.MkAbs("large.json"), []byte(text), 0o666))
	const longest = 20_000_000 // of the names, in bytes
	lines := `{"Name": "` + strings.Repeat("x", longest) + "\", \"Stock\": 1}\n{\"Name\": \"y\", \"Stock\": 1}\n"
	ts.Check(os.WriteFile(ts.MkAbs("large.jsonl"), []byte(lines), 0o666))
}

// module makes the directory a module that uses tenon as it stands here.
func module(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	text := "module example.com/" + filepath.Base(dir) + "\n\ngo 1.26.0\n\n" +
		"require github.com/tenon-go/tenon v0.0.0\n\nreplace github.com/tenon-go/tenon => " + ts.Getenv("ROOT") + "\n"
	ts.Check(os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o666))
	sums, err := os.ReadFile(filepath.Join(ts.Getenv("ROOT"), "go.sum"))
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o666))
}

// status runs a command that must end with the status.
func status(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("status %d, want %d", got, want)
	}
}
