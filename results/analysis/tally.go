package analysis

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
)

// cellTally works batch by batch: a million cells with all columns may not fit into memory.
type cellTally struct {
	schema             *schema
	rows               int
	streams            int // with cells not in cells.arrow yet
	groups             *cellGroups
	counts             map[string]int // by status
	incomplete, failed lostCells
	reasons            map[reasonKey]*Reason
	times              map[string]*MethodTime // by method
	sizes              map[string]dataSize
	texts              map[string]string
}

type reasonKey struct {
	method, text string // without numbers and names
	status       experiment.Status
}

// readCells includes streams.
func readCells(ctx context.Context, dir string, schema *schema) (*cellTally, error) {
	path := filepath.Join(dir, results.CellsFile)
	tally := newCellTally(schema)
	columns := slices.Concat(schema.cellColumns(), schema.there(append(experiment.Names(sizeColumns), "error")...))
	add := func(f *results.Frame) error {
		if err := tally.add(f); err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		return nil
	}
	var err error
	tally.streams, err = results.EachNewest(ctx, dir, "cells", columns, add)
	return tally, err
}

func newCellTally(schema *schema) *cellTally {
	return &cellTally{
		schema: schema,
		groups: newCellGroups(schema),
		counts: map[string]int{},
		times:  map[string]*MethodTime{},
		sizes:  map[string]dataSize{},
		texts:  map[string]string{}, reasons: map[reasonKey]*Reason{},
	}
}

func (t *cellTally) add(cells *results.Frame) error {
	columns, err := newCellColumns(t.schema, cells, t.texts)
	if err != nil {
		return err
	}
	if err := t.groups.add(columns); err != nil {
		return err
	}
	t.rows += columns.rows
	t.addTimes(columns)
	if err := t.addSizes(cells, columns); err != nil {
		return err
	}
	return t.addFailures(cells, columns)
}

func (t *cellTally) addTimes(columns *cellColumns) {
	for row := range columns.rows {
		method := columns.text(columns.method, row)
		of := t.times[method]
		if of == nil {
			of = &MethodTime{Method: MethodLabel(method)}
			t.times[method] = of
		}
		of.Cells++
		if !isNull(columns.seconds[0], row) {
			of.Timed++
			of.CPU += columns.seconds[0].Floats[row]
		}
		if !isNull(columns.seconds[1], row) {
			of.Elapsed += columns.seconds[1].Floats[row]
		}
	}
}

func (t *cellTally) sortedTimes() (list []MethodTime) {
	total := 0.0
	for _, method := range slices.Sorted(maps.Keys(t.times)) {
		list = append(list, *t.times[method])
		total += t.times[method].CPU
	}
	if total == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b MethodTime) int { return cmp.Compare(b.CPU, a.CPU) })
	return list
}

// addSizes records the sizes of each data set's first cell.
func (t *cellTally) addSizes(cells *results.Frame, columns *cellColumns) error {
	if len(t.schema.there(experiment.Names(sizeColumns)...)) < len(sizeColumns) {
		return nil
	}
	vectors, err := cells.Vectors(results.CellsFile, sizeColumns)
	if err != nil {
		return err
	}
	names := columns.dimensions[layout.Dataset]
	for row, name := range names.Texts {
		if vectors[0].IsNull(row) {
			continue
		}
		switch size, ok := t.sizes[name]; {
		case !ok:
			t.sizes[strings.Clone(name)] = dataSize{vectors[0].Ints[row], vectors[1].Ints[row], vectors[2].Ints[row], false}
		case size.train != vectors[0].Ints[row]:
			size.several = true
			t.sizes[name] = size
		}
	}
	return nil
}

// addFailures keeps cells that may be listed.
func (t *cellTally) addFailures(cells *results.Frame, columns *cellColumns) error {
	messages, err := cells.Column("error", experiment.Text)
	if err != nil {
		return err
	}
	stated := statedWhereSeveral(t.schema.Layout)
	for row := range columns.rows {
		status := experiment.Status(columns.text(columns.status, row))
		t.counts[string(status)]++
		if status == experiment.OK {
			continue
		}
		key, err := results.ParseCell(columns.cell.Texts[row])
		if err != nil {
			return err
		}
		setting := columns.setting(row)
		f := Failure{
			Cell: key.String(), Status: status,
			What: fmt.Sprintf("%s: %s, repeat %d",
				columns.methodKey(row), t.schema.Describe(setting.Without(stated...)), columns.repeat.Ints[row]),
			Error: strings.Clone(messages.Texts[row]),
		}
		t.addReason(columns.methodKey(row), setting, f)
		switch {
		case status == experiment.Incomplete:
			t.incomplete.add(f)
		case status.Failed():
			t.failed.add(f)
		}
	}
	return nil
}

// mostReasons limits the reasons; further ones of a method and status are merged.
const mostReasons = 1000

func (t *cellTally) addReason(method string, setting layout.Setting, f Failure) {
	name := MethodName(method)
	names := []string{name}
	for _, value := range setting {
		names = append(names, value.Text)
	}
	text := experiment.ReasonText(name, f.Error)
	key := reasonKey{name, experiment.ReasonLike(name, f.Error, names...), f.Status}
	if t.reasons[key] == nil && len(t.reasons) >= mostReasons {
		key.text = ""
	}
	of := valueOf(t.reasons, key, Reason{Method: MethodLabel(name), Status: f.Status, Text: text, Like: key.text, Cell: f.Cell, What: f.What, error: f.Error})
	if of.Text != text {
		of.Text = ""
	}
	if of.Cells++; f.Cell < of.Cell {
		of.Cell, of.What, of.error = f.Cell, f.What, f.Error
	}
}

func (t *cellTally) sortedReasons() []Reason {
	var list []Reason
	for key, of := range t.reasons {
		reason := *of
		reason.Text, reason.error = cmp.Or(of.Text, of.Like, experiment.ReasonText(key.method, of.error)), ""
		list = append(list, reason)
	}
	slices.SortFunc(list, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Cells, a.Cells), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Cell, b.Cell))
	})
	return list
}

type lostCells struct {
	n     int
	first []Failure // candidates for the report
}

func (l *lostCells) add(f Failure) {
	l.n++
	if l.first = append(l.first, f); len(l.first) > 50*MaxFailures {
		l.first = firstFew(l.first, Failure.compare)
	}
}

func (f Failure) compare(other Failure) int { return cmp.Compare(f.Cell, other.Cell) }

// firstFew keeps [MaxFailures].
func firstFew[T any](list []T, compare func(a, b T) int) []T {
	slices.SortFunc(list, compare)
	return list[:min(len(list), MaxFailures)]
}

func (t *cellTally) statuses() []layout.Fact {
	var facts []layout.Fact
	for _, status := range experiment.Statuses {
		if n := t.counts[string(status)]; n > 0 {
			facts = append(facts, layout.Fact{Name: "cells " + string(status), Value: strconv.Itoa(n)})
		}
	}
	return facts
}

// DataFacts are shown by figures.
type DataFacts struct {
	Section  experiment.Section // of the grid; may be nil
	Unscored *ScoreTable        // cells of an unscored kind
	Target   string             // unit of its scores
	Size     map[string]dataSize
	Rules    []string // that chose steps

	Readings []results.ManifestReading // how files were read
	Absent   []results.ManifestData    // missing
}

type dataSize struct {
	train, test, Features int64
	several               bool // sizes are those of the first split
}

var sizeColumns = []experiment.Column{
	{Name: "n_train", Type: experiment.Int}, {Name: "n_test", Type: experiment.Int}, {Name: "n_features", Type: experiment.Int},
}

// SizesOf returns only the features if the data set has several splits.
func (d *DataFacts) SizesOf(s layout.Setting) string {
	switch size, ok := d.Size[s[layout.Dataset].Text]; {
	case !ok:
		return ""
	case size.several: // the setting names the split
		return fmt.Sprintf("%d features; ", size.Features)
	default:
		return fmt.Sprintf("%d training and %d test samples, %d features; ", size.train, size.test, size.Features)
	}
}

func (d *DataFacts) ScoreLabel(metric Metric, choice string) string {
	label := "test " + metric.Word()
	if metric.Of().InTarget {
		label += " (" + d.Target + ")"
	}
	if choice != "" {
		label += ", " + choice
	}
	return label
}
