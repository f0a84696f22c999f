package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results"
)

// ComparedRun is a folder of results in a comparison.
type ComparedRun struct {
	Dir       string
	Run       string // "" without a manifest
	Versions  []VersionCells
	Cells     int
	Statuses  map[experiment.Status]int
	Partial   bool
	Platforms []string

	data map[string]string // digests by name
	*runCells
}

// runCells is what a comparison needs of a run, but not its result.
type runCells struct {
	rows     []comparedCell
	measures [][]experiment.Vector // of each batch
	newest   map[results.CellKey]int32
}

// VersionCells counts the cells of a version of agepath.
type VersionCells struct {
	Version string
	Cells   int
}

type comparedCell struct {
	key     results.CellKey
	labels  cellLabels
	status  experiment.Status
	score   [SelectionBias]float64
	seconds [len(timeColumns)]float64
	worker  string
	reason  string // why it is not ok
	started int64  // microseconds

	batch, row int32 // of the measures
}

// cellLabels identify a cell across runs, independently of its identity.
type cellLabels struct {
	group        int32 // in comparedCells.groups
	repeat, seed int64
}

type comparedCells struct {
	schema   *schema
	measures []experiment.Column
	groups   []place
	metrics  []Metric
	numbers  map[place]int32
	texts    map[string]string
}

func newComparedCells(kind *experiment.Registration) *comparedCells {
	return &comparedCells{
		schema:   schemaOf(kind),
		measures: kind.Tables().Measures,
		numbers:  map[place]int32{}, texts: map[string]string{},
	}
}

// extraColumns are those that score tables do not use.
var extraColumns = []experiment.Column{
	{Name: "seed", Type: experiment.Int}, {Name: "error", Type: experiment.Text}, {Name: "worker", Type: experiment.Text},
	{Name: "version", Type: experiment.Text}, {Name: "started_at", Type: experiment.Time}, {Name: "platform", Type: experiment.Text},
}

func (c *comparedCells) columns() []experiment.Column {
	columns := slices.Concat(c.schema.cellColumns(), c.schema.there(experiment.Names(extraColumns)...))
	for _, measure := range c.measures {
		if !slices.ContainsFunc(columns, func(c experiment.Column) bool { return c.Name == measure.Name }) {
			columns = append(columns, measure)
		}
	}
	return columns
}

func (c *comparedCells) load(ctx context.Context, dir string) (*ComparedRun, error) {
	if err := results.CheckFiles(ctx, dir); err != nil {
		return nil, err
	}
	r := &ComparedRun{
		Dir: dir, Statuses: map[experiment.Status]int{}, runCells: &runCells{newest: map[results.CellKey]int32{}},
	}
	manifest, err := results.ReadManifest(dir)
	switch {
	case err == nil:
		r.Run, r.data = manifest.Run, manifest.Data
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	versions := map[string]int{}
	streams, err := results.EachNewest(ctx, dir, "cells", c.columns(), func(f *results.Frame) error {
		if err := c.add(r, f, versions); err != nil {
			return fmt.Errorf("reading %s: %w", filepath.Join(dir, results.CellsFile), err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Partial, r.Cells = streams > 0, len(r.rows)
	for version, cells := range versions {
		r.Versions = append(r.Versions, VersionCells{version, cells})
	}
	slices.SortFunc(r.Versions, func(a, b VersionCells) int {
		return cmp.Or(cmp.Compare(b.Cells, a.Cells), cmp.Compare(a.Version, b.Version))
	})
	return r, nil
}

func (c *comparedCells) add(r *ComparedRun, f *results.Frame, versions map[string]int) error {
	columns, err := newCellColumns(c.schema, f, c.texts)
	if err != nil {
		return err
	}
	extra, err := f.Vectors(results.CellsFile, extraColumns)
	if err != nil {
		return err
	}
	measures, err := f.Vectors(results.CellsFile, c.measures)
	if err != nil {
		return err
	}
	batch := make([]experiment.Vector, len(measures)) // without the memory of other columns
	for j, vector := range measures {
		batch[j] = *vector
	}
	r.measures = append(r.measures, batch)
	seed, reason, worker, version, started, platform := extra[0], extra[1], extra[2], extra[3], extra[4], extra[5]
	for row := range columns.rows {
		sample, metric, err := columns.sample(row)
		if err != nil {
			return err
		}
		cell := comparedCell{
			key: sample.Cell, status: sample.Status, seconds: sample.Seconds,
			labels: cellLabels{c.group(place{columns.setting(row), columns.methodKey(row)}, metric), sample.Repeat, seed.Ints[row]},
			worker: columns.text(worker, row), started: started.Ints[row],
			batch: int32(len(r.measures) - 1), row: int32(row),
		}
		copy(cell.score[:], sample.Score[:])
		if cell.status != experiment.OK {
			cell.reason = strings.Clone(reason.Texts[row])
		}
		r.newest[cell.key] = int32(len(r.rows))
		r.rows = append(r.rows, cell)
		r.Statuses[cell.status]++
		versions[columns.text(version, row)]++
		if on := columns.text(platform, row); on != "" && !slices.Contains(r.Platforms, on) {
			r.Platforms = append(r.Platforms, on)
		}
	}
	return nil
}

func (c *comparedCells) group(of place, metric Metric) int32 {
	number, known := c.numbers[of]
	if !known {
		number = int32(len(c.groups))
		c.numbers[of] = number
		c.groups = append(c.groups, of)
		c.metrics = append(c.metrics, "")
	}
	c.metrics[number] = cmp.Or(c.metrics[number], metric)
	return number
}

func (c *comparedCells) what(cell *comparedCell) string {
	of := c.groups[cell.labels.group]
	return fmt.Sprintf("%s: %s, repeat %d", of.method, c.schema.Describe(of.setting), cell.labels.repeat)
}
