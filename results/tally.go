package results

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment"
)

// cellTally is what a report takes from the cells table, batch by batch: a
// million cells need not be in memory with all their columns.
type cellTally struct {
	rows       int
	streams    int // of cells that are not in cells.arrow yet
	groups     *cellGroups
	counts     map[string]int // by status
	failed     int
	incomplete int
	failures   []failedCell        // incomplete ones too
	sizes      map[string]dataSize // by data set
	texts      map[string]string
}

// failedCell is a failure that may be among the first.
type failedCell struct {
	key cellKey
	Failure
}

// readCells reads the cells in dir, those of streams too where a run has not
// ended.
func readCells(ctx context.Context, dir string) (*cellTally, error) {
	path := filepath.Join(dir, cellsFile)
	tally := &cellTally{
		groups: newCellGroups(),
		counts: map[string]int{},
		sizes:  map[string]dataSize{},
		texts:  map[string]string{},
	}
	columns := slices.Concat(sensitivityColumns, sizeColumns, []string{"error"})
	add := func(f *Frame) error {
		if err := tally.add(f); err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		return nil
	}
	segments, err := cellStreams(dir)
	if err != nil {
		return nil, err
	}
	if len(segments) == 0 {
		return tally, eachFrame(ctx, path, columns, add)
	}
	partial, err := newPartialCells(ctx, dir, segments)
	if err != nil {
		return nil, err
	}
	tally.streams = len(segments)
	return tally, partial.eachNewest(ctx, columns, add)
}

func (t *cellTally) add(cells *Frame) error {
	columns, err := newCellColumns(cells, t.texts)
	if err != nil {
		return err
	}
	if err := t.groups.add(columns); err != nil {
		return err
	}
	t.rows += columns.rows
	if err := t.addSizes(cells, columns); err != nil {
		return err
	}
	return t.addFailures(cells, columns)
}

// addSizes notes the size of the split of each data set, which is that of its
// first cell.
func (t *cellTally) addSizes(cells *Frame, columns *cellColumns) error {
	var vectors [3]*experiment.Vector
	for i, name := range sizeColumns {
		var err error
		if vectors[i], err = cells.Column(name, experiment.Int); err != nil {
			return err
		}
	}
	names := columns.dimensions[DimDataset]
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

// addFailures counts the cells by status and keeps the failed and incomplete
// ones that may be among the first.
func (t *cellTally) addFailures(cells *Frame, columns *cellColumns) error {
	messages, err := cells.Column("error", experiment.Text)
	if err != nil {
		return err
	}
	for row, status := range columns.status.Texts {
		t.counts[columns.text(columns.status, row)]++
		switch status := experiment.Status(status); {
		case status == experiment.OK:
			continue
		case status == experiment.Incomplete:
			t.incomplete++
		default:
			t.failed++
		}
		key, err := parseCell(columns.cell.Texts[row])
		if err != nil {
			return err
		}
		t.failures = append(t.failures, failedCell{key, Failure{
			Cell:   key.String(),
			Status: experiment.Status(columns.text(columns.status, row)),
			What: fmt.Sprintf("%s: %s, repeat %d",
				columns.methodKey(row), describe(columns.setting(row)), columns.repeat.Ints[row]),
			Error: strings.Clone(messages.Texts[row]),
		}})
		if len(t.failures) > 50*maxFailures {
			t.keepFirst()
		}
	}
	return nil
}

// keepFirst drops the failures that cannot be among the first.
func (t *cellTally) keepFirst() {
	slices.SortFunc(t.failures, func(a, b failedCell) int { return bytes.Compare(a.key[:], b.key[:]) })
	t.failures = t.failures[:min(len(t.failures), maxFailures)]
}

// firstFailures returns the first failures by cell.
func (t *cellTally) firstFailures() []Failure {
	t.keepFirst()
	failures := make([]Failure, len(t.failures))
	for i, f := range t.failures {
		failures[i] = f.Failure
	}
	return failures
}

// statuses returns how many cells ended how.
func (t *cellTally) statuses() []Fact {
	var facts []Fact
	for _, status := range experiment.Statuses {
		if n := t.counts[string(status)]; n > 0 {
			facts = append(facts, Fact{"cells " + string(status), strconv.Itoa(n)})
		}
	}
	return facts
}
