package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/results"
)

// Replayed is a cell computed again beside what the folder says of it.
type Replayed struct {
	Cell     string
	Columns  []experiment.Column // of the cells table that computing decides
	Stored   []any               // their values in the folder, nil where null
	Computed []any
	Knots    int  // rows of knots compared; -1 where the folder has none of the cell
	Same     bool // every value, the knots' included, is equal bit for bit
}

// Replay computes one cell of a folder of results again; that of a command only where
// commands are allowed, see [Worker]. With a data folder
// it writes there what the cell was computed from and led to: train.csv,
// validation.csv and test.csv (scaled and contaminated features, then the
// target), and path.arrow (knots with coefficients).
func Replay(ctx context.Context, dir, cell, data string, library experiment.Loader, commands bool) (*Replayed, error) {
	manifest, err := results.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	_, plan, err := Replan(ctx, dir, manifest, library)
	if err != nil {
		return nil, err
	}
	task, c, err := findCell(plan, cell)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	stored, err := results.FindCell(ctx, dir, cell)
	if err != nil {
		return nil, err
	}
	if stored == nil {
		return nil, fmt.Errorf("%s: cell %s of the grid has not ended yet", dir, cell)
	}
	kind := experiment.SelfPacedKind{}
	var host *outside.Host
	if commands {
		host = &outside.Host{Open: func(ctx context.Context, digest string) (io.ReadCloser, error) {
			content, err := plan.File(ctx, digest)
			return io.NopCloser(bytes.NewReader(content)), err
		}}
		defer host.Close()
	} else if c.Method.Command != "" {
		return nil, fmt.Errorf("%s: the method %s of cell %s is a command, which is a program on this machine; --allow-commands lets it run",
			dir, c.Method.Name, cell)
	}
	outcome := Compute(ctx, []experiment.Kind{kind}, task, withCommands(plan, host))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r := &Replayed{Cell: cell, Same: true}
	row, err := stored.Read("cells")
	if err != nil {
		return nil, err
	}
	r.compare(kind.Tables(), row, outcome)
	if err := r.compareKnots(stored, kind.Tables(), outcome); err != nil {
		return nil, err
	}
	if data != "" {
		if err := writeData(ctx, data, plan, c, outcome, kind.Tables()); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// findCell returns the task and the cell of an identity.
func findCell(plan *experiment.Plan, id string) (*experiment.Task, *experiment.Cell, error) {
	for task, err := range plan.Tasks(false) {
		if err != nil {
			return nil, nil, err
		}
		if task.Cell != id {
			continue
		}
		cell, err := experiment.DecodeCell(task.Spec)
		if err != nil {
			return nil, nil, err
		}
		cell.Keep = experiment.Keep{Knots: true, Coefficients: true}
		task.Spec = cell.Spec()
		return &task, cell, nil
	}
	return nil, nil, fmt.Errorf("the grid has no cell %s", id)
}

// compare fills in the columns that computing a cell decides: its status and
// error, and the measures.
func (r *Replayed) compare(tables experiment.Tables, stored *results.Frame, o *experiment.Outcome) {
	add := func(column experiment.Column, computed any) {
		var have any
		if j := stored.Index(column.Name); j >= 0 {
			have = stored.At(j, 0)
		}
		r.Columns = append(r.Columns, column)
		r.Stored = append(r.Stored, have)
		r.Computed = append(r.Computed, computed)
		r.Same = r.Same && equal(have, computed)
	}
	add(experiment.Column{Name: "status", Type: experiment.Text}, string(o.Status))
	for j, column := range tables.Measures {
		var computed any
		if o.Measures.Rows == 1 {
			computed = o.Measures.At(column, j, 0)
		}
		add(column, computed)
	}
}

// compareKnots compares the rows of knots where the folder has them.
func (r *Replayed) compareKnots(cell *results.StoredCell, tables experiment.Tables, o *experiment.Outcome) error {
	r.Knots = -1
	stored, err := cell.Read("knots")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if stored.Rows() == 0 {
		return nil
	}
	r.Knots = stored.Rows()
	computed := o.Further["knots"]
	if computed.Rows != stored.Rows() {
		r.Same = false
		return nil
	}
	for _, table := range tables.Further {
		if table.Name != "knots" {
			continue
		}
		for j, column := range table.Columns[1:] {
			at := stored.Index(column.Name)
			for row := range computed.Rows {
				if at < 0 || !equal(stored.At(at, row), computed.At(column, j, row)) {
					r.Same = false
				}
			}
		}
	}
	return nil
}

// equal compares two values of a table bit for bit.
func equal(a, b any) bool {
	x, okX := a.(float64)
	y, okY := b.(float64)
	if okX && okY {
		return math.Float64bits(x) == math.Float64bits(y)
	}
	return a == b
}

// writeData writes the parts of a cell's data and its path into a folder.
func writeData(ctx context.Context, dir string, plan *experiment.Plan, c *experiment.Cell, o *experiment.Outcome, tables experiment.Tables) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	set, err := plan.Dataset(ctx, c.Data.Digest)
	if err != nil {
		return err
	}
	prepared, err := c.Prepare(ctx, set)
	if err != nil {
		return err
	}
	for name, part := range map[string]*dataset.Part{"train": &prepared.Train, "validation": &prepared.Validation, "test": &prepared.Test} {
		if err := writePart(filepath.Join(dir, name+".csv"), set.Features, part); err != nil {
			return err
		}
	}
	return writePath(filepath.Join(dir, "path.arrow"), o, tables)
}

// writePart writes a part as CSV: the features, then the target y; the
// training part has a row for each sample that was merged into one.
func writePart(path string, features []string, part *dataset.Part) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := file.Close(); err == nil {
			err = e
		}
	}()
	w := results.NewCSV(file)
	row := append(slices.Clone(features), "y")
	if err := w.Write(row); err != nil {
		return err
	}
	for i := range part.N {
		for j, x := range part.X[i*part.D : (i+1)*part.D] {
			row[j] = strconv.FormatFloat(x, 'g', -1, 64)
		}
		row[part.D] = strconv.FormatFloat(part.Y[i], 'g', -1, 64)
		times := 1
		if part.Multiplicity != nil {
			times = int(part.Multiplicity[i])
		}
		for range times {
			if err := w.Write(row); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// writePath writes the knots of an outcome with their coefficients as one
// table.
func writePath(path string, o *experiment.Outcome, tables experiment.Tables) error {
	table := experiment.Table{Name: "path"}
	rows := experiment.Batch{}
	for _, further := range tables.Further {
		batch := o.Further[further.Name]
		for j, column := range further.Columns[1:] {
			if column.Name == "knot" && len(table.Columns) > 0 {
				continue // both tables number the knots alike
			}
			table.Columns = append(table.Columns, column)
			if batch.Rows > 0 {
				rows.Columns = append(rows.Columns, batch.Columns[j])
			} else {
				rows.Columns = append(rows.Columns, experiment.Vector{})
			}
			rows.Rows = batch.Rows
		}
	}
	return results.WriteTable(path, table, o.Run, &rows)
}
