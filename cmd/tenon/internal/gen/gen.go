// Package gen writes the code that joins a Go interface to tenon. It works in
// four steps, each a package of its own, and data flows one way:
//
//	load -> model -> check -> emit
//
// For every source file foo.go that declares a service there is one output,
// foo_tenon.go beside it, under the same build constraint. Nothing is written
// unless all packages of a run are right.
package gen

import (
	"context"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/check"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/emit"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/load"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/model"
)

// Generate computes what the outputs of all matching packages should be. What
// the authors have to change comes as [diag.Problems]: that of all packages, but
// for what follows from the faults of packages that they import.
func Generate(ctx context.Context, opts load.Options) ([]Output, error) {
	packages, problems, err := load.Load(ctx, opts)
	if err != nil {
		return nil, err
	}
	var outputs []Output
	for _, p := range packages {
		for _, path := range p.Orphans {
			outputs = append(outputs, Output{Path: path})
		}
		if len(p.Files) == 0 {
			continue
		}
		described := model.Build(p)
		if wrong := check.Check(described); len(wrong) > 0 {
			problems = append(problems, wrong...)
			continue
		}
		for _, file := range described.Files {
			text, err := emit.File(described, file)
			if err != nil {
				return nil, err
			}
			outputs = append(outputs, Output{Path: file.Source.Output, Text: text})
		}
	}
	if len(problems) > 0 {
		return nil, problems.Sorted()
	}
	return outputs, nil
}
