package results

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
)

// EachOutcome calls take with the newest outcomes of the wanted cells in dir, including former
// grids, with those of the named tables that were computed. It takes no lock. Unwanted cells
// cost the decoding of their batches. Kind is not in the files. An error of take ends the iteration.
// A folder without a file of cells is [fs.ErrNotExist].
func EachOutcome(ctx context.Context, dir, kind string, tables experiment.Tables, further []string, wanted func(cell string, status experiment.Status) bool, take func(*experiment.Outcome) error) error {
	rows, err := newOutcomeRows(tables, "")
	if err != nil {
		return fmt.Errorf("results in %s: %w", dir, err)
	}
	inventory, err := TakeInventory(ctx, dir, further)
	if err != nil {
		return err
	}
	segments, err := cellStreams(dir)
	if err != nil {
		return err
	}
	f := &folderOutcomes{dir: dir, kind: kind, rows: rows, index: inventory.index, wanted: wanted, take: take}
	for _, table := range rows.further() {
		if slices.Contains(further, table.Name) {
			f.further = append(f.further, table)
		}
	}
	found := false
	for _, number := range append(slices.Clone(segments), 0, formerSegment) {
		err := f.each(ctx, number)
		if errors.Is(err, fs.ErrNotExist) || number > 0 && errors.Is(err, errTorn) {
			continue
		}
		if err != nil {
			return err
		}
		found = true
	}
	if found || len(segments) > 0 {
		return nil
	}
	return fmt.Errorf("%s holds no results: %w", dir, fs.ErrNotExist)
}

type folderOutcomes struct {
	dir, kind string
	rows      *outcomeRows
	further   []experiment.Table // to read
	index     *index             // of the counting rows
	wanted    func(cell string, status experiment.Status) bool
	take      func(*experiment.Outcome) error
}

func (f *folderOutcomes) counts(cell string, at rowSource) (*entry, bool) {
	e, _, ok := f.index.find(cell)
	return e, ok && e.source == at
}

func (f *folderOutcomes) each(ctx context.Context, number int) (err error) {
	cells, err := openChecked(ctx, disk.OS{}, f.dir, f.rows.cells(), number)
	if err != nil {
		return err
	}
	var further []*furtherRows
	defer func() {
		err = errors.Join(err, cells.Close())
		for _, r := range further {
			err = errors.Join(err, r.reader.Close())
		}
	}()
	for _, table := range f.further {
		reader, err := openChecked(ctx, disk.OS{}, f.dir, table, number)
		if errors.Is(err, fs.ErrNotExist) {
			if slices.Contains(writtenWith(cells), table.Name) {
				return missingError(table.Name, number)
			}
			continue
		}
		if err != nil {
			return err
		}
		if number <= 0 && reader.metadata()[MetadataRun] != cells.metadata()[MetadataRun] {
			return errors.Join(fmt.Errorf("%s and %s are of different runs, as a run leaves them that was killed while it set cells aside; run the grid into %s once more",
				cells.path, reader.path, f.dir), reader.Close())
		}
		further = append(further, &furtherRows{table: table, reader: reader, frame: &Frame{}, batch: -1})
	}
	return cells.each(ctx, math.MaxInt, func(k int, frame *Frame) error {
		return f.frame(number, k, frame, further)
	})
}

// frame expects the rows of further tables in the same order, in segments in the same batch.
func (f *folderOutcomes) frame(number, k int, cells *Frame, further []*furtherRows) error {
	at, batch := sourceOf(number, k), k
	if number <= 0 {
		batch = math.MaxInt
	}
	for row, cell := range cells.Batch.Columns[1].Texts {
		e, counts := f.counts(cell, at)
		var o *experiment.Outcome
		if counts && f.wanted(cell, experiment.Statuses[e.status]) {
			o = f.rows.outcome(&cells.Batch, row)
			o.Kind, o.Further = f.kind, map[string]experiment.Batch{}
		}
		for _, table := range f.further {
			if o != nil && e.has&f.index.lists([]string{table.Name}) != 0 {
				o.Further[table.Name] = experiment.Batch{}
			}
		}
		for _, r := range further {
			rows, err := r.next(cell, batch, func(cell string) bool { _, counts := f.counts(cell, at); return counts })
			if err != nil {
				return err
			}
			if o != nil && rows.Rows > 0 {
				o.Further[r.table.Name] = rows
			}
		}
		if o == nil {
			continue
		}
		if err := f.take(o); err != nil {
			return err
		}
	}
	return nil
}

type furtherRows struct {
	table  experiment.Table
	reader *TableReader
	frame  *Frame
	batch  int
	at     int
}

// next returns the rows, possibly none, of the next cell, without the column cell, from batches up
// to the given one. It skips rows of cells that do not count, left by a crash.
func (r *furtherRows) next(cell string, batch int, counts func(cell string) bool) (rows experiment.Batch, err error) {
	for {
		for r.at == r.frame.Rows() || batch < math.MaxInt && r.batch < batch {
			if r.batch == batch {
				return rows, nil
			}
			frame, err := r.reader.Next()
			if errors.Is(err, io.EOF) {
				r.frame, r.at = &Frame{}, 0
				return rows, nil
			}
			if err != nil {
				return rows, err
			}
			r.frame, r.at = frame, 0
			r.batch++
		}
		cells := r.frame.Batch.Columns[0].Texts[r.at:]
		to := r.at + cellRun(cells)
		switch {
		case cells[0] == cell:
			if rows.Columns == nil {
				rows = newBatch(r.table.Columns[1:])
			}
			from := experiment.Batch{Rows: r.frame.Rows(), Columns: r.frame.Batch.Columns[1:]}
			appendRows(&rows, 0, r.table.Columns[1:], &from, r.at, to)
			rows.Rows += to - r.at
		case counts(cells[0]):
			return rows, nil
		}
		r.at = to
	}
}
