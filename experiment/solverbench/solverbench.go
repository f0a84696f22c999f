// Package solverbench is the kind of experiment that compares solvers of linear models with
// piecewise linear-quadratic losses: a cell has one solver at one problem, and its outcome is
// the solver's curve of certified gaps against time. docs/solver-benchmark.md defines the
// problems and what is measured.
package solverbench

import (
	"context"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/gridfile"
)

// Name is the kind's name in grids.
const Name = "solver-benchmark"

func init() { //nolint:gochecknoinits // a program knows the kinds that it imports
	experiment.Register(experiment.Registration{
		Kind: Kind{}, Keys: []string{"data", "tasks", "c", "solvers", "budget", "absent", "keep"}, Read: readSection,
		Dimensions: []experiment.DimensionName{{Name: "dataset"}, {Name: "task"}, {Name: "c"}, {Name: "solver"}},
		Layout:     Layout, Complete: complete, Material: material,
	})
}

// complete returns the spec of a cell with its curve kept.
func complete(text []byte) ([]byte, error) {
	s, err := decode(text)
	if err != nil {
		return nil, err
	}
	s.Keep = []string{curveTable.Name}
	return gridfile.JSON(s), nil
}

// material returns a cell's problem and curve.
func material(ctx context.Context, task *experiment.Task, data experiment.Data, outcome *experiment.Outcome) (*experiment.Material, error) {
	s, err := decode(task.Spec)
	if err != nil {
		return nil, err
	}
	p, err := s.Cell.problem(ctx, data)
	if err != nil {
		return nil, err
	}
	rows, columns := outcome.Further[curveTable.Name], curveTable.Columns[1:]
	if rows.Rows == 0 {
		rows.Columns = make([]experiment.Vector, len(columns))
	}
	return &experiment.Material{
		Parts:  []experiment.MaterialPart{p.material()},
		Tables: []experiment.MaterialTable{{Table: experiment.Table{Name: curveTable.Name, Columns: columns}, Rows: rows}},
	}, nil
}
