//go:build linux

package worker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tenon-go/tenon/worker"
)

func TestStartFailuresSayWhichAndWhatToDo(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	garbage := filepath.Join(dir, "garbage")
	os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600)
	os.WriteFile(garbage, []byte("not a program"), 0o700)
	script := filepath.Join(dir, "script")
	os.WriteFile(script, []byte("#!/no/such/python -u\nprint()\n"), 0o700)
	for name, c := range map[string]struct {
		program worker.Command
		opts    []worker.Option
		want    []string
		exit    bool
	}{
		"not there":          {worker.Program("./no/such/program"), nil, []string{"./no/such/program", "no such file", "working directory"}, false},
		"not in PATH":        {worker.Program("no-such-program"), nil, []string{"no such program in PATH"}, false},
		"not executable":     {worker.Program(plain), nil, []string{plain, "x permission"}, false},
		"no program":         {worker.Program(garbage), nil, []string{garbage, "not a program for this system"}, false},
		"directory missing":  {worker.Program("true"), []worker.Option{worker.Dir(dir + "/none")}, []string{"chdir " + dir + "/none", "no such file", "worker.Dir"}, false},
		"directory a file":   {worker.Program("true"), []worker.Option{worker.Dir(plain)}, []string{"chdir " + plain, "not a directory", "worker.Dir"}, false},
		"much too nice":      {worker.Program("true"), []worker.Option{worker.Nice(99)}, []string{"Nice(99)", "0 to 19"}, false},
		"no variable":        {worker.Program("true"), []worker.Option{worker.Env("A=1", "garbage")}, []string{`Env("garbage")`, "KEY=value"}, false},
		"negative memory":    {worker.Program("true"), []worker.Option{worker.MemoryLimit(-1)}, []string{"MemoryLimit(-1)", "bytes"}, false},
		"no time":            {worker.Program("true"), []worker.Option{worker.StartTimeout(0)}, []string{"StartTimeout(0s)"}, false},
		"negative grace":     {worker.Program("true"), []worker.Option{worker.Grace(-time.Second)}, []string{"Grace(-1s)"}, false},
		"negative polling":   {worker.Program("true"), []worker.Option{worker.Polling(-1)}, []string{"Polling(-1ns)"}, false},
		"nil file":           {worker.Program("true"), []worker.Option{worker.Files(os.Stdin, nil)}, []string{"file 2 of 2 is nil"}, false},
		"nil output":         {worker.Program("true"), []worker.Option{worker.Output(nil)}, []string{"io.Discard"}, false},
		"nil log":            {worker.Program("true"), []worker.Option{worker.Log(nil)}, []string{"slog.Default"}, false},
		"no program named":   {worker.Program(""), nil, []string{"neither an entry"}, false},
		"ends at once":       {worker.Program("sh", "-c", "echo no licence >&2; exit 3"), nil, []string{"ended with status 3", "before it served", "worker.Serve", "no licence"}, true},
		"killed at once":     {worker.Program("sh", "-c", "kill -9 $$"), nil, []string{"SIGKILL", "before it served"}, true},
		"never serves":       {worker.Program("sleep", "1000"), []worker.Option{worker.StartTimeout(100 * time.Millisecond)}, []string{"did not serve within 100ms", "worker.Serve"}, true},
		"closes its control": {worker.Program("sh", "-c", "exec 3>&- 4>&- 5>&-; exec sleep 1000"), nil, []string{"closed the descriptors", "worker.Serve"}, true},
		"refuses":            {worker.Self("refuses"), nil, []string{"status 1", "the model file is missing"}, true},
		"starts too early":   {worker.Self("late"), []worker.Option{worker.Env("TEST_TOO_EARLY=1")}, []string{`started as worker "late"`, `worker.Main("late", ...)`}, true},
		"other version":      {worker.Program("sh", "-c", `TENON_LINK="v9 ${TENON_LINK#v1 }" exec "$0"`, os.Args[0]), []worker.Option{worker.Env("TENON_TEST_PROGRAM=serve")}, []string{"v9 control:3", "different versions of tenon"}, true},
		"descriptor closed":  {worker.Program("sh", "-c", `exec 4>&-; exec "$0"`, os.Args[0]), []worker.Option{worker.Env("TENON_TEST_PROGRAM=serve"), worker.Over(worker.SharedMemory)}, []string{"shm: "}, true},
		"negative nice":      {worker.Program("true"), []worker.Option{worker.Nice(-1)}, []string{"Nice(-1)", "give way"}, false},
		"senseless ring":     {worker.Program("true"), []worker.Option{worker.RingSize(-1)}, []string{"size -1"}, false},
		"unknown entry":      {worker.Self("nobody"), nil, []string{`worker.Main("nobody", ...)`}, true},
		"no entry":           {worker.Self(""), nil, []string{"neither an entry"}, false},
		"no interpreter":     {worker.Program(script), nil, []string{script, "it is there", "its first line names /no/such/python -u"}, false},
		"register panics":    {worker.Self("panics"), nil, []string{`worker.Main("panics", ...) panicked: no model`}, true},
		"register hangs":     {worker.Self("hangs"), []worker.Option{worker.StartTimeout(time.Second)}, []string{"did not serve within 1s", `worker.Main("hangs", ...) has not returned`}, true},
		"nil option":         {worker.Program("true"), []worker.Option{nil}, []string{"an option is nil"}, false},
		"unknown link":       {worker.Self("test"), []worker.Option{worker.Over("carrier pigeon")}, []string{"carrier pigeon"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var out lines
			_, err := worker.Start(context.Background(), c.program, append([]worker.Option{worker.Name("w-7"), worker.Output(&out)}, c.opts...)...)
			if err == nil {
				t.Fatal("no error")
			}
			if strings.Count(err.Error(), "the model file is missing") > 1 {
				t.Errorf("%v: that was said once already", err)
			}
			for _, part := range append(c.want, "w-7") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
			var exit *worker.ExitError
			if errors.As(err, &exit) != c.exit {
				t.Errorf("ExitError in %v: %v", err, exit)
			}
		})
	}
}

func TestAStartWithoutANameHasOneInItsErrors(t *testing.T) {
	if _, err := worker.Start(t.Context(), worker.Self("")); !strings.HasPrefix(err.Error(), "worker unnamed-") {
		t.Error(err)
	}
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "needs a context") {
			t.Error(text)
		}
	}()
	var forgotten context.Context
	_, _ = worker.Start(forgotten, worker.Self("test"))
}

func TestStartIsBrokenOffByItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := worker.Start(ctx, worker.Program("sleep", "1000"))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if _, err := worker.Start(ctx, worker.Self("test")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestContextIsTheLifeOfAWorker(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	w, err := worker.Start(ctx, worker.Self("test"))
	if err != nil {
		t.Fatal(err)
	}
	order(t, w, "echo lives")
	cancel()
	<-w.Done()
	if err := w.Err(); err != nil {
		t.Error(err)
	}
}

// A variable that somebody passed on does not make a process a worker.
func TestMarkerWithoutDescriptorsMakesNoWorker(t *testing.T) {
	for _, link := range []string{"", "v1", "v2 control:3 shm:4,5", "v1 control:3 shm:4,5", "v1 control:900 shm:901,902", "v1 control:x shm:-1", "v1 : :"} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "TENON_TEST_PROGRAM=serve", "TENON_LINK="+link)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 7 || !strings.Contains(string(out), worker.ErrNotWorker.Error()) {
			t.Errorf("%q: %v, %s", link, err, out)
		}
	}
}
