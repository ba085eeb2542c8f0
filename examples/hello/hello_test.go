package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

func TestAnswerComesFromAnotherProcess(t *testing.T) {
	program := filepath.Join(t.TempDir(), "hello")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.Command(program)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	pids := regexp.MustCompile(`^Hello process (\d+), from process (\d+)\.\n$`).FindSubmatch(out)
	if pids == nil || string(pids[1]) == string(pids[2]) {
		t.Errorf("it printed %q, want two different processes", out)
	}
}
