package results

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/agepath/agepath/experiment"
)

// eachPartial calls do with every batch of the cells of a folder whose run has not ended, the
// oldest first: those of cells.arrow, if it is there, and those that its streams hold so far.
func eachPartial(ctx context.Context, dir string, segments []int, columns []string, do func(at source, f *Frame) error) error {
	for _, number := range append([]int{0}, segments...) {
		name := CellsFile
		if number > 0 {
			name = streamName("cells", number)
		}
		k := -1
		err := eachFrame(ctx, filepath.Join(dir, name), columns, func(f *Frame) error {
			k++
			return do(sourceOf(number, k), f)
		})
		switch {
		case err == nil:
		case number == 0 && errors.Is(err, fs.ErrNotExist): // nothing is gathered yet
		case number > 0 && errors.Is(err, errTorn): // not even its schema is whole yet
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("the run gathered %s into %s while it was read; make the report again", name, CellsFile)
		default:
			return err
		}
	}
	return nil
}

// EachNewest calls do with the rows of the cells in dir that count, batch by batch,
// those of streams too where a run has not ended. The columns have cell among them.
// It returns the number of streams.
func EachNewest(ctx context.Context, dir string, columns []string, do func(*Frame) error) (streams int, err error) {
	segments, err := cellStreams(dir)
	if err != nil {
		return 0, err
	}
	if len(segments) == 0 {
		return 0, eachFrame(ctx, filepath.Join(dir, CellsFile), columns, do)
	}
	inventory, err := TakeInventory(ctx, dir, nil)
	if err != nil {
		return 0, err
	}
	segments = inventory.segments
	return len(segments), eachPartial(ctx, dir, segments, columns, func(at source, f *Frame) error {
		cells, err := f.Column("cell", experiment.Text)
		if err != nil {
			return err
		}
		kept := *f
		kept.Batch = newBatch(f.Columns)
		for row, cell := range cells.Texts {
			if e, _, ok := inventory.index.find(cell); ok && e.source == at {
				appendRows(&kept.Batch, 0, f.Columns, &f.Batch, row, row+1)
				kept.Batch.Rows++
			}
		}
		if kept.Batch.Rows == 0 {
			return nil
		}
		return do(&kept)
	})
}
