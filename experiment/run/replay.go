package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results"
)

// Replayed compares a cell computed again with the folder.
type Replayed struct {
	Cell     string
	Method   string
	Columns  []experiment.Column // computed ones of the cells table, status first
	Stored   []any               // values in the folder, nil for null
	Computed []any
	Rows     []ReplayedRows // of the folder's further tables
	Same     bool           // all values are equal bit for bit, and the error has the same reason
	Rounding bool           // the same, with values equal within [experiment.Rounding]
	Error    [2]string      // stored and computed, "" if ok
	Failed   bool           // what was computed here
	Platform string         // of the stored result, "" if unknown
}

// ReplayedRows is the number of compared rows.
type ReplayedRows struct {
	Table string
	Rows  int
}

// Replay computes one cell of a folder again, a command only with commands, see [Worker]. Into the
// folder data, unless "", it writes the cell's train.csv, validation.csv and test.csv (scaled and
// contaminated features, then the target) and path.arrow (knots with coefficients).
func Replay(ctx context.Context, dir, cell, data string, compression results.Compression, library experiment.Loader, commands bool) (*Replayed, error) {
	c, err := openCell(ctx, dir, cell, library, commands)
	if err != nil {
		return nil, err
	}
	defer c.close()
	kind, task := c.kind, c.task
	stored, err := storedOutcome(ctx, dir, kind, cell)
	if err != nil {
		return nil, err
	}
	outcome := Compute(ctx, []experiment.Kind{kind.Kind}, task, c.data)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r := &Replayed{
		Cell: cell, Method: kind.Tables().Text(&task.Labels, "method"), Platform: stored.Platform,
		Same: true, Rounding: true, Failed: outcome.Status.Failed(),
	}
	r.compare(kind.Tables(), stored, outcome)
	for _, table := range kind.Tables().Further {
		r.compareRows(table, kind.Tables().Varying, stored.Further[table.Name], outcome.Further[table.Name])
	}
	if data != "" && kind.Material != nil {
		material, err := kind.Material(ctx, task, c.data, outcome)
		if err == nil {
			err = writeMaterial(data, material, outcome.Run, compression)
		}
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Fit computes a cell of a folder again and returns its model, a command's only with commands.
func Fit(ctx context.Context, dir, cell string, library experiment.Loader, commands bool) (*experiment.FittedModel, error) {
	c, err := openCell(ctx, dir, cell, library, commands)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if c.kind.Fit == nil {
		return nil, fmt.Errorf("%s: results of the kind %s have no models", dir, c.kind.Name())
	}
	m, err := c.kind.Fit(ctx, c.task, c.data)
	if err != nil {
		return nil, fmt.Errorf("cell %s: %w", cell, err)
	}
	m.Format, m.Run, m.Cell, m.Platform = experiment.FittedFormat, c.run, cell, experiment.Platform()
	m.Dataset = c.kind.Tables().Text(&c.task.Labels, "dataset")
	return m, nil
}

// folderCell is a cell of a folder with what it is computed from.
type folderCell struct {
	run   string
	kind  *experiment.Registration
	task  *experiment.Task
	data  experiment.Data // with the host of commands, if they may run
	close func()
}

func openCell(ctx context.Context, dir, cell string, library experiment.Loader, commands bool) (*folderCell, error) {
	manifest, err := results.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	_, plan, err := planOfFolder(ctx, dir, manifest, library)
	if err = checkPlan(manifest, plan, err); err != nil {
		return nil, err
	}
	kind, err := experiment.Named(plan.Kind)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	task, err := findCell(plan, kind, cell)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	c := &folderCell{plan.Run, kind, task, plan, func() {}}
	if commands {
		host := hostOf(plan)
		c.data, c.close = withCommands(plan, host), host.Close
	} else if method := kind.Tables().Text(&task.Labels, "method"); slices.Contains(plan.Commands(), method) {
		return nil, fmt.Errorf("%s: the method %s of cell %s is a command, which is a program on this machine; --allow-commands lets it run",
			dir, method, cell)
	}
	return c, nil
}

func hostOf(plan *experiment.Plan) *outside.Host {
	return &outside.Host{Open: func(ctx context.Context, digest string) (io.ReadCloser, error) {
		return reading(plan.File(ctx, digest))
	}}
}

// Try computes one cell of a method: the first on the data set with the smallest expected time. A
// command's standard error goes to stderr, not into the outcome's error. Commands run.
func Try(ctx context.Context, plan *experiment.Plan, method string, stderr io.Writer) (*experiment.Outcome, error) {
	task, err := plan.Cheapest(method)
	if err != nil {
		return nil, &StartError{err}
	}
	host := hostOf(plan)
	host.Stderr = stderr
	defer host.Close()
	outcome := Compute(ctx, []experiment.Kind{plan.Computes()}, task, withCommands(plan, host))
	return outcome, ctx.Err()
}

// storedOutcome has the rows of kept tables.
func storedOutcome(ctx context.Context, dir string, kind *experiment.Registration, cell string) (stored *experiment.Outcome, err error) {
	found, err := results.FindCells(ctx, dir, cell, 1)
	if err != nil {
		return nil, err
	}
	var kept []string
	for _, table := range kind.Tables().Further {
		if table.Kept {
			kept = append(kept, table.Name)
		}
	}
	wanted := func(id string, _ experiment.Status) bool { return slices.Contains(found, id) }
	err = results.EachOutcome(ctx, dir, kind.Name(), kind.Tables(), kept, wanted, func(o *experiment.Outcome) error {
		stored = o
		return nil
	})
	if err == nil && stored == nil {
		err = fmt.Errorf("%s: cell %s of the grid has not ended yet", dir, cell)
	}
	return stored, err
}

// findCell keeps all further tables.
func findCell(plan *experiment.Plan, kind *experiment.Registration, id string) (*experiment.Task, error) {
	for task, err := range plan.Tasks() {
		if err != nil {
			return nil, err
		}
		if task.Cell != id {
			continue
		}
		task.Keep = lists.Map(kind.Tables().Further, func(t experiment.Table) string { return t.Name })
		return &task, nil
	}
	return nil, fmt.Errorf("the grid has no cell %s", id)
}

func (r *Replayed) compare(tables experiment.Tables, stored, o *experiment.Outcome) {
	add := func(column experiment.Column, have, computed any) {
		r.Columns = append(r.Columns, column)
		r.Stored = append(r.Stored, have)
		r.Computed = append(r.Computed, computed)
		if !slices.Contains(tables.Varying, column.Name) {
			r.hold(have, computed)
		}
	}
	add(experiment.Column{Name: "status", Type: experiment.Text}, string(stored.Status), string(o.Status))
	r.Error = [2]string{stored.Error, strings.ToValidUTF8(o.Error, "\uFFFD")} // as stored
	key := func(text string) string { return experiment.ReasonKey(r.Method, o.Status, text) }
	r.hold(key(r.Error[0]), key(r.Error[1]))
	for j, column := range tables.Measures {
		measure := func(o *experiment.Outcome) any {
			if o.Measures.Rows == 0 {
				return nil
			}
			return o.Measures.At(column, j, 0)
		}
		add(column, measure(stored), measure(o))
	}
}

func (r *Replayed) compareRows(table experiment.Table, varying []string, stored, computed experiment.Batch) {
	if stored.Rows == 0 {
		return
	}
	r.Rows = append(r.Rows, ReplayedRows{table.Name, stored.Rows})
	if computed.Rows != stored.Rows {
		r.Same, r.Rounding = false, false
		return
	}
	for j, column := range table.Columns[1:] {
		if slices.Contains(varying, column.Name) {
			continue
		}
		for row := range computed.Rows {
			r.hold(stored.At(column, j, row), computed.At(column, j, row))
		}
	}
}

func (r *Replayed) hold(stored, computed any) {
	r.Same = r.Same && alike(stored, computed, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
	r.Rounding = r.Rounding && Near(stored, computed)
}

// Near reports whether two values of a table, nil for null, are equal to rounding: numbers to
// [experiment.Rounding], relative to the smaller one if that is above 1, others exactly.
func Near(a, b any) bool {
	return alike(a, b, func(x, y float64) bool {
		return x == y || math.IsNaN(x) && math.IsNaN(y) ||
			math.Abs(x-y) <= experiment.Rounding*max(1, min(math.Abs(x), math.Abs(y)))
	})
}

func alike(a, b any, equal func(x, y float64) bool) bool {
	x, okX := a.(float64)
	y, okY := b.(float64)
	if okX && okY {
		return equal(x, y)
	}
	if list, ok := a.([]float64); ok {
		other, ok := b.([]float64)
		return ok && slices.EqualFunc(list, other, equal)
	}
	return a == b
}

func writeMaterial(dir string, m *experiment.Material, run string, compression results.Compression) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, part := range m.Parts {
		if err := writePart(filepath.Join(dir, part.Name+".csv"), &part); err != nil {
			return err
		}
	}
	for i := range m.Tables {
		t := &m.Tables[i]
		if err := results.WriteTable(filepath.Join(dir, t.Table.Name+".arrow"), t.Table, run, &t.Rows, compression); err != nil {
			return err
		}
	}
	return nil
}

func writePart(path string, part *experiment.MaterialPart) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := results.NewCSV(file)
	w.Add(part.Columns)
	for row := range part.Rows {
		w.Add(row)
	}
	return w.Flush()
}
