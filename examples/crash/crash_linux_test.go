package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

func TestEveryTroubleCostsOneCall(t *testing.T) {
	program := filepath.Join(t.TempDir(), "crash")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	out, err := exec.Command(program).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []struct{ does, sees, next string }{
		{"writes to a nil pointer", `the handler panicked: .* nil pointer`, "the same worker"},
		{"reads a wild pointer", `ended with status 2; it said "unexpected fault address 0x`, "a new worker"},
		{"exhausts memory", `was killed by SIGKILL: .* the limit is 64 MiB`, "a new worker"},
		{`calls os\.Exit\(3\)`, `ended with status 3`, "a new worker"},
		{"races on a map", `it said "fatal error: concurrent map`, "a new worker"},
		{"loops for ever", `context deadline exceeded`, "a new worker"},
	} {
		want := `The handler ` + c.does + `\.\n  error:  .*trouble-\d \(pid \d+\).*\n  next:   answered after .*, ` + c.next + `\n`
		found := regexp.MustCompile(want).Find(out)
		if found == nil || !regexp.MustCompile(c.sees).Match(found) {
			t.Errorf("%s: not said: %s", c.does, c.sees)
		}
	}
	if t.Failed() {
		t.Logf("it printed\n%s", out)
	}
}
