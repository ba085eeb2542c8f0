package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runMake runs a target as the sh of a user does that expands no tilde. The go that
// it finds only tells how it was called.
func runMake(t *testing.T, args ...string) (home, output string) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip(err)
	}
	home = t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "go"), []byte("#!/bin/sh\nprintf '[%s]' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("make", append([]string{"--no-print-directory", "-C", "../.."}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+home, "PATH="+home+":"+os.Getenv("PATH"), "MAKEFLAGS=")
	out, _ := cmd.CombinedOutput()
	return home, string(out)
}

func TestMakeRunTakesFoldersAtHome(t *testing.T) {
	home, out := runMake(t, "run", "DIR=~/My Pictures", "OUT=~/small ones", "WORKERS=2")
	want := "[run][./examples/thumbnails][-out][" + home + "/small ones][-workers][2][" + home + "/My Pictures]"
	if out != want {
		t.Errorf("%s, want %s", out, want)
	}
	if _, out := runMake(t, "run", "OUT="); !strings.Contains(out, "OUT names no folder") {
		t.Error(out)
	}
}

func TestMakeCleanLeavesFoldersOfTheUserAlone(t *testing.T) {
	pictures := t.TempDir()
	mine := filepath.Join(pictures, "mine.jpg")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, out := runMake(t, "-n", "clean", "OUT="+pictures)
	if strings.TrimSpace(out) != "rm -rf thumbs" {
		t.Errorf("make clean would run %q", out)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}
