// Package selfpaced is the kind of experiment that computes age paths and their baselines: its
// section of a grid, its cells, the tables of results and how reports read them. Programs that
// import it can add methods, regularizers and losses, see [RegisterMethod].
package selfpaced

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

func init() { //nolint:gochecknoinits // a program knows the kinds that it imports
	experiment.Register(experiment.Registration{
		Kind: Kind{}, Default: true,
		Keys: slices.Concat([]string{"sweeps", "keep"}, sweepKeys, []string{"select", "metric"}), Read: readSection,
		Dimensions: planDimensions, Layout: Layout, Material: material, Fit: fitModel,
	})
}

// material returns the scaled and contaminated parts of a cell's data, and its path with
// coefficients.
func material(ctx context.Context, task *experiment.Task, data experiment.Data, outcome *experiment.Outcome) (*experiment.Material, error) {
	cell, err := DecodeCell(task.Spec)
	if err != nil {
		return nil, err
	}
	set, err := data.Dataset(ctx, cell.Data.Digest)
	if err != nil {
		return nil, err
	}
	prepared, err := cell.Prepare(ctx, set)
	if err != nil {
		return nil, err
	}
	m := &experiment.Material{Tables: []experiment.MaterialTable{pathTable(outcome)}}
	columns := append(slices.Clone(set.Features), "y")
	for _, part := range []struct {
		name string
		of   *dataset.Part
	}{{"train", &prepared.Train}, {"validation", &prepared.Validation}, {"test", &prepared.Test}} {
		m.Parts = append(m.Parts, experiment.MaterialPart{Name: part.name, Columns: columns, Rows: partRows(part.of)})
	}
	return m, nil
}

// partRows yields the features and y of each row; merged training rows are repeated.
func partRows(part *dataset.Part) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		row := make([]string, part.D+1)
		for i := range part.N {
			for j, x := range part.X[i*part.D : (i+1)*part.D] {
				row[j] = strconv.FormatFloat(x, 'g', -1, 64)
			}
			row[part.D] = strconv.FormatFloat(part.Y[i], 'g', -1, 64)
			for range int(part.Count(i)) {
				if !yield(row) {
					return
				}
			}
		}
	}
}

func pathTable(o *experiment.Outcome) experiment.MaterialTable {
	path := experiment.MaterialTable{Table: experiment.Table{Name: "path"}}
	for _, further := range furtherTables {
		batch := o.Further[further.Name]
		for j, column := range further.Columns[1:] {
			if column.Name == "knot" && len(path.Table.Columns) > 0 {
				continue // both tables number the knots alike
			}
			path.Table.Columns = append(path.Table.Columns, column)
			if batch.Rows > 0 {
				path.Rows.Columns = append(path.Rows.Columns, batch.Columns[j])
			} else {
				path.Rows.Columns = append(path.Rows.Columns, experiment.Vector{})
			}
			path.Rows.Rows = batch.Rows
		}
	}
	return path
}
