package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// build builds a program of this module and returns its path.
func build(t *testing.T, dir string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), filepath.Base(dir))
	if out, err := exec.Command("go", "build", "-o", program, dir).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", dir, err, out)
	}
	return program
}

func TestHostAndPluginAreTwoPrograms(t *testing.T) {
	host, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	program, plugin := build(t, host), build(t, filepath.Join(host, "..", "checker"))

	var stdout, stderr bytes.Buffer
	cmd := exec.Command(program, plugin, "Teh quick brwon gopher jumps over teh wall")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	want := regexp.MustCompile(`^English, checked by worker checker-1 \(pid \d+\):\n  teh -> the\n  brwon -> brown\n  teh -> the\n  wall -> \n$`)
	if !want.Match(stdout.Bytes()) {
		t.Errorf("it printed\n%s", &stdout)
	}
	if !strings.Contains(stderr.String(), "checker-1: I know 10 words") {
		t.Errorf("what the plugin said is missing in\n%s", &stderr)
	}

	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a path with a typo": {[]string{plugin + "r", "text"}, "no such file"},
		"not a plugin":       {[]string{"true", "text"}, "does its main call worker.Serve?"},
	} {
		out, err := exec.Command(program, c.args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
	if out, err := exec.Command(plugin).CombinedOutput(); err == nil || !strings.Contains(string(out), "worker.Start") {
		t.Errorf("started by hand the plugin says %v, %s", err, out)
	}
}
