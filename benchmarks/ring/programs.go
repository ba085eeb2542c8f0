package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

//go:embed programs/spsc.cpp
var spscSource []byte

//go:embed programs/seed.mjs
var seedSource []byte

// spsc builds the queue in C++.
func spsc(ctx context.Context, dir string) []yardstick {
	list := []yardstick{
		{name: "C++", about: "our queue in C++, the same records, indexes acquired and released; polls, copied in and out", kind: "yardstick"},
		{name: "C++ in place", about: "the same, built and read where it lies", kind: "yardstick"},
	}
	program, source := filepath.Join(dir, "spsc"), filepath.Join(dir, "spsc.cpp")
	version, missing := output(ctx, "g++", "-dumpfullversion")
	if missing == nil {
		missing = os.WriteFile(source, spscSource, 0o600)
	}
	if missing == nil {
		_, missing = output(ctx, "g++", "-O3", "-march=native", "-std=c++17", "-Wall", "-Wextra", "-o", program, source)
	}
	for i, mode := range []string{"copied", "inplace"} {
		list[i].missing, list[i].version = missing, "g++ "+version
		list[i].measure = func(ctx context.Context, w work) (time.Duration, error) {
			return clocked(ctx, program, append(w.args(), strconv.Itoa(capacity), strconv.Itoa(batch), mode)...)
		}
	}
	return list
}

// seed finds node for the ring in JavaScript.
func seed(ctx context.Context, dir string) yardstick {
	script := filepath.Join(dir, "seed.mjs")
	version, missing := output(ctx, "node", "--version")
	if missing == nil {
		missing = os.WriteFile(script, seedSource, 0o600)
	}
	return yardstick{
		name: "JavaScript", about: "the ring of @nxtedition/shared, re-created: two threads, Buffer.set, corked, read in place",
		kind: "yardstick", version: "node " + version, missing: missing,
		measure: func(ctx context.Context, w work) (time.Duration, error) {
			return clocked(ctx, "node", append([]string{script}, append(w.args(), strconv.Itoa(capacity), strconv.Itoa(batch))...)...)
		},
	}
}

// clocked runs a program that does a work and prints the nanoseconds it took.
func clocked(ctx context.Context, name string, args ...string) (time.Duration, error) {
	out, err := output(ctx, name, args...)
	if err != nil {
		return 0, err
	}
	nanos, err := strconv.ParseInt(out, 10, 64)
	if err != nil || nanos <= 0 {
		return 0, fmt.Errorf("%s printed %q, not nanoseconds", filepath.Base(name), out)
	}
	return time.Duration(nanos), nil
}

// output runs a program and returns what it printed, without the space around.
func output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", err
	}
	if err != nil {
		if text := strings.TrimSpace(errs.String()); text != "" {
			err = fmt.Errorf("%w: %s", err, text)
		}
		return "", fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return strings.TrimSpace(string(out)), nil
}
