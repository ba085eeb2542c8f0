package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/tenon-go/tenon"
)

// builder is the implementation, which the worker serves.
type builder struct{}

func (builder) Build(ctx context.Context, buildfile string,
	output func(line string),
	overwrite func(ctx context.Context, file string) (bool, error),
) (report Report, err error) {
	rules, err := readRules(buildfile)
	if err != nil {
		return report, err
	}
	b := build{
		dir: filepath.Dir(buildfile), output: output,
		settings: NewSettingsClient(tenon.ConnFrom(ctx)), // calls the host back
		known:    make(map[string]string),
	}
	for i, r := range rules {
		exists, stale, err := b.state(r, report.Made)
		if err != nil {
			return report, err
		}
		if stale && exists {
			if stale, err = overwrite(ctx, r.file); err != nil {
				return report, err
			}
			if !stale {
				report.Kept = append(report.Kept, r.file)
				continue
			}
		}
		if !stale {
			report.UpToDate = append(report.UpToDate, r.file)
			continue
		}
		tenon.ReportProgress(ctx, int64(i), int64(len(rules)), r.file)
		if err := b.make(ctx, r); err != nil {
			return report, fmt.Errorf("%s: %w", r.file, err)
		}
		report.Made = append(report.Made, r.file)
	}
	tenon.ReportProgress(ctx, int64(len(rules)), int64(len(rules)), "")
	return report, nil
}

// A build is one run of a build file.
type build struct {
	dir      string
	output   func(line string)
	settings Settings
	known    map[string]string // settings, as the host has said
}

// state reports whether a file is there, and whether it has to be made: it is
// missing, or older than what it needs, or that was made just now.
func (b *build) state(r *rule, made []string) (exists, stale bool, err error) {
	ours, err := os.Stat(filepath.Join(b.dir, r.file))
	exists = err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return exists, false, err
	}
	stale = !exists
	for _, name := range r.needs {
		needed, err := os.Stat(filepath.Join(b.dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return exists, false, fmt.Errorf("%s needs %s, which is not there and which nothing makes", r.file, name)
		case err != nil:
			return exists, false, fmt.Errorf("%s needs %s: %w", r.file, name, err)
		}
		stale = stale || needed.ModTime().After(ours.ModTime()) || slices.Contains(made, name)
	}
	return exists, stale, nil
}

// make runs the commands of a rule. It does not leave a file that is half made.
func (b *build) make(ctx context.Context, r *rule) error {
	path := filepath.Join(b.dir, r.file)
	before := modTime(path)
	for _, command := range r.commands {
		if err := b.run(ctx, command); err != nil {
			if modTime(path) != before {
				os.Remove(path)
			}
			return err
		}
	}
	return nil
}

// modTime is when a file was changed last, or zero if it is not there.
func modTime(path string) (t time.Time) {
	if info, err := os.Stat(path); err == nil {
		t = info.ModTime()
	}
	return t
}

func (b *build) run(ctx context.Context, command string) error {
	command, err := expand(command, func(name string) (string, error) { return b.value(ctx, name) })
	if err != nil {
		return err
	}
	lines := &lineWriter{output: b.output}
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir, cmd.Stdout, cmd.Stderr = b.dir, lines, lines
	cmd.WaitDelay = 100 * time.Millisecond // for what the command has started, which ends with the worker
	err = cmd.Run()
	lines.end()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%q failed: %w", command, err)
	}
	return nil
}

func (b *build) value(ctx context.Context, name string) (string, error) {
	if v, ok := b.known[name]; ok {
		return v, nil
	}
	v, err := b.settings.Value(ctx, name)
	if err == nil {
		b.known[name] = v
	}
	return v, err
}

// A lineWriter hands on what is written to it line by line.
type lineWriter struct {
	output func(line string)
	rest   []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		line, rest, whole := bytes.Cut(w.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		w.output(string(line))
		w.rest = rest
	}
}

// end hands on a last line without a newline.
func (w *lineWriter) end() {
	if len(w.rest) > 0 {
		w.output(string(w.rest))
	}
}
