package results

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment"
)

// Vectors returns the columns of the given names, which must have the given
// types.
func (f *Frame) Vectors(path string, columns []string, kinds []experiment.Type) ([]*experiment.Vector, error) {
	vectors := make([]*experiment.Vector, len(columns))
	for j, name := range columns {
		var err error
		if vectors[j], err = f.Column(name, kinds[j]); err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
	}
	return vectors, nil
}

// eachFrame calls do with each batch of a table, which holds the given
// columns.
func eachFrame(ctx context.Context, path string, columns []string, do func(*Frame) error) error {
	table, err := OpenTable(path, columns...)
	if err != nil {
		return err
	}
	defer table.Close()
	return table.each(ctx, math.MaxInt, func(_ int, f *Frame) error { return do(f) })
}

// each calls do with the next batches, at most limit, and their numbers from 0.
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

// EachFrameOf is eachFrame for the batches that hold rows of wanted cells.
func EachFrameOf(ctx context.Context, path string, wanted func(cell string) bool, columns []string, do func(*Frame) error) error {
	any := func(_ int, cells []string) bool {
		last := ""
		return slices.ContainsFunc(cells, func(id string) bool {
			if id == last { // rows of a cell stand together
				return false
			}
			last = id
			return wanted(id)
		})
	}
	return eachPart(ctx, path, any, columns, func(_ []string, f *Frame) error { return do(f) })
}

// eachPart calls do with the cells and the columns of the batches that are wanted by their number,
// from 0, and their cells. Of the other batches it decodes the column cell alone, which halves the
// time where few are wanted.
func eachPart(ctx context.Context, path string, wanted func(k int, cells []string) bool, columns []string, do func(cells []string, f *Frame) error) error {
	table, err := OpenTable(path, columns...)
	if err != nil {
		return err
	}
	defer table.Close()
	ids, err := OpenTable(path, "cell")
	if err != nil {
		return err
	}
	defer ids.Close()
	return ids.each(ctx, math.MaxInt, func(k int, f *Frame) error {
		m, err := table.message()
		if err != nil {
			return err
		}
		cells := f.Batch.Columns[0].Texts
		if !wanted(k, cells) {
			return nil
		}
		batch, err := table.decode(m)
		if err != nil {
			return err
		}
		return do(cells, table.frame(batch))
	})
}
