// Package benchmark is the kind of experiment that compares solvers of linear models with
// piecewise linear-quadratic losses. A cell runs one solver on one problem and yields its curve of
// certified gaps against time. docs/solver-benchmark.md defines problems and measures.
package benchmark

import (
	"context"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/analysis"
)

// Name is the kind's name in grids.
const Name = "solver-benchmark"

func init() { //nolint:gochecknoinits // a program knows the kinds that it imports
	experiment.Register(experiment.Registration{
		Kind: Kind{}, Keys: []string{"data", "tasks", "c", "solvers", "budget", "absent", "keep"}, Read: readSection,
		Dimensions: []experiment.DimensionName{{Name: "dataset"}, {Name: "task"}, {Name: "c"}, {Name: "solver"}},
		Layout:     Layout, Material: material,
	})
	analysis.RegisterOwn(Name, analysis.Own{Part: own})
}

func material(ctx context.Context, task *experiment.Task, data experiment.Data, outcome *experiment.Outcome) (*experiment.Material, error) {
	c, err := decode(task.Spec)
	if err != nil {
		return nil, err
	}
	p, err := c.problem(ctx, data)
	if err != nil {
		return nil, err
	}
	return &experiment.Material{Parts: []experiment.MaterialPart{p.material()}, Tables: experiment.MaterialTables(outcome, furtherTables)}, nil
}
