package main

import (
	"context"
	"errors"
)

//go:generate go tool tenon gen

// Builder runs the commands of a build file. The worker serves it.
//
//tenon:service
type Builder interface {
	// Build makes what is missing or out of date. While it lasts it reports its
	// progress, in files, hands on each line that a command prints, and asks before
	// it overwrites a file.
	Build(ctx context.Context, buildfile string,
		output func(line string),
		overwrite func(ctx context.Context, file string) (bool, error),
	) (Report, error)
}

// A Report is what became of the files of a build.
type Report struct {
	Made     []string
	Kept     []string // although they are out of date
	UpToDate []string
}

// Settings is what the host serves: the worker calls it back.
//
//tenon:service
type Settings interface {
	// Value returns what a build file refers to as {{name}}.
	Value(ctx context.Context, name string) (string, error)
}

// ErrNobody is the answer to a question when there is nobody to ask.
//
//tenon:error
var ErrNobody = errors.New("nobody answers: the standard input has ended")
