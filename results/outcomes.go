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
	if inventory.files+len(inventory.segments) == 0 {
		return fmt.Errorf("%s holds no results: %w", dir, fs.ErrNotExist)
	}
	f := &folderOutcomes{dir: dir, kind: kind, rows: rows, index: inventory.index, wanted: wanted, take: take}
	for _, table := range rows.further() {
		if slices.Contains(further, table.Name) {
			f.further = append(f.further, table)
		}
	}
	for _, number := range append(slices.Clone(inventory.segments), 0, formerSegment) {
		err := f.each(ctx, number)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && (number <= 0 || !errors.Is(err, errTorn)) {
			return err
		}
	}
	return nil
}

type folderOutcomes struct {
	dir, kind string
	rows      *outcomeRows
	further   []experiment.Table // to read
	index     *index             // of the counting rows
	wanted    func(cell string, status experiment.Status) bool
	take      func(*experiment.Outcome) error
}

func (f *folderOutcomes) each(ctx context.Context, number int) (err error) {
	cells, err := openChecked(ctx, disk.OS{}, f.dir, f.rows.cells(), number, f.rows.cells().Columns)
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
		reader, err := openChecked(ctx, disk.OS{}, f.dir, table, number, table.Columns)
		if errors.Is(err, fs.ErrNotExist) {
			if slices.Contains(writtenWith(cells.metadata), table.Name) {
				return missingError(table.Name, number)
			}
			continue
		}
		if err != nil {
			return err
		}
		if number <= 0 && reader.metadata[MetadataRun] != cells.metadata[MetadataRun] {
			return errors.Join(fmt.Errorf("%s and %s are of different runs, as a run leaves them that was killed while it set cells aside; run the grid into %s once more",
				cells.path, reader.path, f.dir), reader.Close())
		}
		further = append(further, &furtherRows{table: table, reader: reader, index: f.index, number: number, frame: &Frame{}})
	}
	return cells.each(ctx, math.MaxInt, func(k int, frame *Frame) error {
		counting, err := f.index.counting(frame, sourceOf(number, k))
		if err != nil {
			return err
		}
		return f.frame(counting, further)
	})
}

// frame expects the rows of further tables in the same order.
func (f *folderOutcomes) frame(cells *Frame, further []*furtherRows) error {
	for row, cell := range cells.Batch.Columns[1].Texts {
		e, _, _ := f.index.find(cell)
		var o *experiment.Outcome
		if f.wanted(cell, experiment.Statuses[e.status]) {
			o = f.rows.outcome(&cells.Batch, row)
			o.Kind, o.Further = f.kind, map[string]experiment.Batch{}
		}
		for _, table := range f.further {
			if o != nil && e.has&f.index.lists([]string{table.Name}) != 0 {
				o.Further[table.Name] = experiment.Batch{}
			}
		}
		for _, r := range further {
			rows, err := r.next(cell)
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

// furtherRows reads the counting rows of a table: a crash leaves others.
type furtherRows struct {
	table  experiment.Table
	reader *TableReader
	index  *index
	number int // see [fileName]
	batch  int // the next
	frame  *Frame
	at     int
}

// next returns the rows, possibly none, of the next cell, without the column cell.
func (r *furtherRows) next(cell string) (rows experiment.Batch, err error) {
	for {
		for r.at == r.frame.Rows() {
			frame, err := r.reader.Next()
			if errors.Is(err, io.EOF) {
				return rows, nil
			}
			if err != nil {
				return rows, err
			}
			if r.frame, err = r.index.counting(frame, sourceOf(r.number, r.batch)); err != nil {
				return rows, err
			}
			r.at, r.batch = 0, r.batch+1
		}
		cells := r.frame.Batch.Columns[0].Texts[r.at:]
		if cells[0] != cell {
			return rows, nil
		}
		to := r.at + cellRun(cells)
		if rows.Columns == nil {
			rows = newBatch(r.table.Columns[1:])
		}
		from := experiment.Batch{Rows: r.frame.Rows(), Columns: r.frame.Batch.Columns[1:]}
		appendRows(&rows, 0, r.table.Columns[1:], &from, r.at, to)
		rows.Rows += to - r.at
		r.at = to
	}
}
