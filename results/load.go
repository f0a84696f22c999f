package results

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/agepath/agepath/experiment"
)

// Load makes the report of the files in dir, complete or not. Only
// cells.arrow must be there.
func Load(ctx context.Context, dir string, options Options) (*Report, error) {
	columns := slices.Concat(sensitivityColumns, sizeColumns, []string{"cell", "error"})
	cells, err := ReadTable(filepath.Join(dir, cellsFile), columns...)
	if err != nil {
		return nil, fmt.Errorf("report of %s: %w", dir, err)
	}
	r := &Report{Name: filepath.Base(dir)}
	if r.Tables, err = Sensitivity(cells); err != nil {
		return nil, fmt.Errorf("report of %s: %w", dir, err)
	}
	if err := r.addFailures(cells); err != nil {
		return nil, fmt.Errorf("report of %s: %w", dir, err)
	}
	r.addMissing()
	data, err := newDataFacts(cells)
	if err != nil {
		return nil, fmt.Errorf("report of %s: %w", dir, err)
	}
	figures := &figureMaker{dir: dir, cells: cells, data: data, compute: options.Path}
	if err := figures.make(ctx, r, options.figures()); err != nil {
		return nil, fmt.Errorf("report of %s: %w", dir, err)
	}
	return r, nil
}

// addFailures counts the cells by status and lists the first that failed.
func (r *Report) addFailures(cells *Frame) error {
	columns, err := newCellColumns(cells)
	if err != nil {
		return err
	}
	cell, err := cells.Column("cell", experiment.Text)
	if err != nil {
		return err
	}
	messages, err := cells.Column("error", experiment.Text)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	var failed []int
	for row, status := range columns.status.Texts {
		counts[status]++
		if status != string(experiment.OK) {
			failed = append(failed, row)
		}
	}
	for _, status := range experiment.Statuses {
		if n := counts[string(status)]; n > 0 {
			r.Statuses = append(r.Statuses, Fact{"cells " + string(status), strconv.Itoa(n)})
		}
	}
	r.Failed = len(failed)
	slices.SortFunc(failed, func(a, b int) int { return cmp.Compare(cell.Texts[a], cell.Texts[b]) })
	for _, row := range failed[:min(len(failed), maxFailures)] {
		r.Failures = append(r.Failures, Failure{
			Cell:   cell.Texts[row],
			Status: experiment.Status(columns.status.Texts[row]),
			What: fmt.Sprintf("%s: %s, repeat %d",
				columns.method.Texts[row], describe(columns.setting(row)), columns.repeat.Ints[row]),
			Error: messages.Texts[row],
		})
	}
	return nil
}

// addMissing says where the tables rest on less than the rest of them does.
func (r *Report) addMissing() {
	for _, table := range r.Tables {
		most, fewer, noValidation := 0, 0, 0
		for i := range table.Rows {
			most = max(most, table.Rows[i].Repeats)
		}
		for i := range table.Rows {
			for j := range table.Rows[i].Entries {
				e := &table.Rows[i].Entries[j]
				if e.Cells > 0 && e.Cells < most {
					fewer++
				}
				if e.Summary[Validation].N < e.Summary[Oracle].N {
					noValidation++
				}
			}
		}
		if fewer > 0 {
			r.Missing = append(r.Missing, fmt.Sprintf("test %s: %s of the table rest on fewer than %s; the other cells are not in the files.",
				table.Metric.word(), plural(fewer, "mean"), plural(most, "repeat")))
		}
		if noValidation > 0 {
			r.Missing = append(r.Missing, fmt.Sprintf("test %s: %s of the table rest on more repeats than have a validation score (there is no validation part, or no finite score on it).",
				table.Metric.word(), plural(noValidation, "mean")))
		}
	}
	if len(r.Tables) == 0 {
		r.Missing = append(r.Missing, "there are no cells yet, and so no tables and no figures.")
	}
}

// newDataFacts reads the sizes of the data sets off the cells.
func newDataFacts(cells *Frame) (*dataFacts, error) {
	d := &dataFacts{size: map[string]dataSize{}}
	names, err := cells.Column("dataset", experiment.Text)
	if err != nil {
		return nil, err
	}
	var vectors [3]*experiment.Vector
	for i, column := range sizeColumns {
		if vectors[i], err = cells.Column(column, experiment.Int); err != nil {
			return nil, err
		}
	}
	for row, name := range names.Texts {
		if _, ok := d.size[name]; ok || vectors[0].IsNull(row) {
			continue
		}
		d.size[name] = dataSize{vectors[0].Ints[row], vectors[1].Ints[row], vectors[2].Ints[row]}
	}
	return d, nil
}
