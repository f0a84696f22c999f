package results

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/agepath/agepath/experiment"
)

// partialCells reads the cells of a folder whose run has not ended: those of
// cells.arrow, if it is there, and those that its streams hold so far.
type partialCells struct {
	dir      string
	segments []int // of the streams, rising
	newest   *index
}

// newPartialCells finds for each cell the batch that counts, the newest.
func newPartialCells(ctx context.Context, dir string, segments []int) (*partialCells, error) {
	p := &partialCells{dir: dir, segments: segments, newest: newIndex(nil, nil)}
	err := p.each(ctx, indexed, func(at source, f *Frame) error {
		return p.newest.add(f, at, nil)
	})
	return p, err
}

// each calls do with every batch, the oldest first.
func (p *partialCells) each(ctx context.Context, columns []string, do func(at source, f *Frame) error) error {
	for _, number := range append([]int{0}, p.segments...) {
		name := CellsFile
		if number > 0 {
			name = streamName("cells", number)
		}
		at := source{segment: int32(number)}
		err := eachFrame(ctx, filepath.Join(p.dir, name), columns, func(f *Frame) error {
			defer func() { at.batch++ }()
			return do(at, f)
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

// EachNewest calls do with the rows that count, batch by batch. The columns have
// cell among them.
func (p *partialCells) eachNewest(ctx context.Context, columns []string, do func(*Frame) error) error {
	return p.each(ctx, columns, func(at source, f *Frame) error {
		cells, err := f.Column("cell", experiment.Text)
		if err != nil {
			return err
		}
		kept := *f
		kept.Batch = newBatch(f.Columns)
		for row, cell := range cells.Texts {
			if e, _, ok := p.newest.find(cell); ok && e.source == at {
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
	partial, err := newPartialCells(ctx, dir, segments)
	if err != nil {
		return 0, err
	}
	return len(segments), partial.eachNewest(ctx, columns, do)
}
