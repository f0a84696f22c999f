package results

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"github.com/agepath/agepath/experiment"
)

// EachFrame calls do with the batches of a table, see [ReadTable].
func EachFrame(ctx context.Context, path string, columns []experiment.Column, do func(*Frame) error) error {
	table, err := OpenTable(path, columns)
	if err != nil {
		return err
	}
	defer table.Close()
	return table.each(ctx, math.MaxInt, func(_ int, f *Frame) error { return do(f) })
}

func (t *TableReader) each(ctx context.Context, limit int, do func(k int, f *Frame) error) error {
	for k := range limit {
		if err := ctx.Err(); err != nil {
			return err
		}
		frame, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := do(k, frame); err != nil {
			return err
		}
	}
	return nil
}

// EachBatchOf calls do with the columns, among them cell, of the batches of a table that have rows
// of wanted cells. It decodes only the column cell of the others, which halves the time if few are
// wanted.
func EachBatchOf(ctx context.Context, path string, wanted func(cell string) bool, columns []experiment.Column, do func(v []*experiment.Vector) error) error {
	table, err := OpenTable(path, columns)
	if err != nil {
		return err
	}
	defer table.Close()
	return EachFrame(ctx, path, indexed[:1], func(ids *Frame) error {
		m, err := table.message()
		if err != nil {
			return err
		}
		last := ""
		any := slices.ContainsFunc(ids.Batch.Columns[0].Texts, func(id string) bool {
			if id == last { // rows of a cell are adjacent
				return false
			}
			last = id
			return wanted(id)
		})
		if !any {
			return nil
		}
		batch, err := table.decode(m)
		if err != nil {
			return err
		}
		v, err := table.frame(batch).Vectors(path, columns)
		if err != nil {
			return err
		}
		return do(v)
	})
}

// Frame is a table in memory, or some columns of it.
type Frame struct {
	Columns  []experiment.Column // without Doc
	Batch    experiment.Batch
	Metadata map[string]string // see [MetadataVersion], [MetadataRun]
}

func (f *Frame) Rows() int { return f.Batch.Rows }

func (f *Frame) Index(name string) int {
	return slices.IndexFunc(f.Columns, func(c experiment.Column) bool { return c.Name == name })
}

func (f *Frame) Column(name string, want experiment.Type) (*experiment.Vector, error) {
	j := f.Index(name)
	if j < 0 {
		return nil, fmt.Errorf("there is no column %s", name)
	}
	if have := f.Columns[j].Type; have != want {
		return nil, fmt.Errorf("column %s holds %s, not %s", name, have, want)
	}
	return &f.Batch.Columns[j], nil
}

// Vectors returns columns of the file at path.
func (f *Frame) Vectors(path string, columns []experiment.Column) ([]*experiment.Vector, error) {
	vectors := make([]*experiment.Vector, len(columns))
	for j, column := range columns {
		var err error
		if vectors[j], err = f.Column(column.Name, column.Type); err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
	}
	return vectors, nil
}

// At returns a value for display, nil for null. Loops use [Frame.Column].
func (f *Frame) At(j, row int) any { return f.Batch.At(f.Columns[j], j, row) }

// errGathered means that a run merged its streams while they were read.
var errGathered = errors.New("the run gathered its streams into tables while they were read")

// EachNewest calls do with the counting rows of a table in dir, including streams; a batch can be
// empty. The columns must include cell.
func EachNewest(ctx context.Context, dir, table string, columns []experiment.Column, do func(*Frame) error) (streams int, err error) {
	segments, err := cellStreams(dir)
	if err != nil {
		return 0, err
	}
	if len(segments) == 0 {
		return 0, EachFrame(ctx, filepath.Join(dir, finalName(table)), columns, do)
	}
	inventory, err := TakeInventory(ctx, dir, nil)
	if err != nil {
		return 0, err
	}
	streams = len(inventory.segments)
	for _, number := range append([]int{0}, inventory.segments...) {
		path := filepath.Join(dir, fileName(table, number))
		k := -1
		err := EachFrame(ctx, path, columns, func(f *Frame) error {
			k++
			kept, err := inventory.index.counting(f, sourceOf(number, k))
			if err != nil {
				return err
			}
			return do(kept)
		})
		switch {
		case err == nil:
		case number == 0 && errors.Is(err, fs.ErrNotExist): // no final file yet
		case number > 0 && errors.Is(err, errTorn): // the stream's schema is incomplete
		case errors.Is(err, fs.ErrNotExist):
			return streams, fmt.Errorf("%s: %w; do it again", path, errGathered)
		default:
			return streams, err
		}
	}
	return streams, nil
}

// counting returns the rows of a batch that count. Its columns must include cell.
func (x *index) counting(f *Frame, at rowSource) (*Frame, error) {
	cells, err := f.Column("cell", experiment.Text)
	if err != nil {
		return nil, err
	}
	kept := *f
	kept.Batch = newBatch(f.Columns)
	for from, to := 0, 0; from < f.Rows(); from = to {
		to = from + cellRun(cells.Texts[from:])
		if e, _, ok := x.find(cells.Texts[from]); ok && e.source == at {
			appendRows(&kept.Batch, 0, f.Columns, &f.Batch, from, to)
			kept.Batch.Rows += to - from
		}
	}
	return &kept, nil
}
