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
// Of the other batches it decodes the column cell alone, which halves the
// time where few cells are wanted.
func EachFrameOf(ctx context.Context, path string, wanted func(cell string) bool, columns []string, do func(*Frame) error) error {
	table, err := OpenTable(path, columns...)
	if err != nil {
		return err
	}
	defer table.Close()
	return eachFrame(ctx, path, []string{"cell"}, func(ids *Frame) error {
		m, err := table.message()
		if err != nil {
			return err
		}
		cell, err := ids.Column("cell", experiment.Text)
		if err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		last := ""
		any := slices.ContainsFunc(cell.Texts, func(id string) bool {
			if id == last { // rows of a cell stand together
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
		return do(table.frame(batch))
	})
}
