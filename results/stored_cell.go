package results

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
)

// StoredCell is the newest outcome of a cell in the files of a folder.
type StoredCell struct {
	dir, cell string
	at        source // segment 0 stands for the files TABLE.arrow
}

// FindCell finds the newest outcome of a cell in dir, also while a store writes
// it or after its process was killed. It returns nil where dir has none of the
// cell, and an error that is [fs.ErrNotExist] where dir has no file of cells.
func FindCell(ctx context.Context, dir, cell string) (*StoredCell, error) {
	segments, err := cellStreams(dir)
	if err != nil {
		return nil, fmt.Errorf("looking for cell %s: %w", cell, err)
	}
	// A compaction makes cells.arrow before it deletes the streams: read last, it
	// misses no cell.
	for _, number := range slices.Backward(segments) {
		batch, err := lastBatch(ctx, filepath.Join(dir, streamName("cells", number)), cell)
		if err != nil && !errors.Is(err, errTorn) && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil && batch >= 0 {
			return &StoredCell{dir, cell, source{int32(number), int32(batch)}}, nil
		}
	}
	batch, err := lastBatch(ctx, filepath.Join(dir, CellsFile), cell)
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(segments) > 0: // nothing is compacted yet
		return nil, nil
	case err != nil || batch < 0:
		return nil, err
	}
	return &StoredCell{dir, cell, source{}}, nil
}

// CellsBeginning returns up to most cells of dir whose identity begins so, also while a
// store writes it. Its error is [fs.ErrNotExist] where dir has no file of cells.
func CellsBeginning(ctx context.Context, dir, begin string, most int) ([]string, error) {
	segments, err := cellStreams(dir)
	if err != nil {
		return nil, fmt.Errorf("looking for cells: %w", err)
	}
	var found []string
	look := func(file string) error {
		return eachFrame(ctx, filepath.Join(dir, file), []string{"cell"}, func(f *Frame) error {
			for _, cell := range f.Batch.Columns[0].Texts {
				if len(found) < most && strings.HasPrefix(cell, begin) && !slices.Contains(found, cell) {
					found = append(found, strings.Clone(cell))
				}
			}
			return nil
		})
	}
	for _, number := range segments {
		err := look(streamName("cells", number))
		if err != nil && !errors.Is(err, errTorn) && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if err := look(CellsFile); err != nil && (len(segments) == 0 || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	return found, nil
}

// lastBatch returns the last batch of a table of cells that has a cell, -1 for none.
func lastBatch(ctx context.Context, path, cell string) (int, error) {
	ids, err := OpenTable(path, "cell")
	if err != nil {
		return -1, err
	}
	defer ids.Close()
	last := -1
	err = ids.each(ctx, math.MaxInt, func(k int, f *Frame) error {
		if slices.Contains(f.Batch.Columns[0].Texts, cell) {
			last = k
		}
		return nil
	})
	return last, err
}

// Read reads the rows that the outcome has in a table. The error is
// [fs.ErrNotExist] where the table has no file.
func (s *StoredCell) Read(table string, columns ...string) (*Frame, error) {
	if s.at.segment == 0 {
		return ReadCell(filepath.Join(s.dir, finalName(table)), s.cell, columns...)
	}
	// Batch i of a segment's streams holds the rows of the same outcomes.
	return readCell(filepath.Join(s.dir, streamName(table, int(s.at.segment))), s.cell, columns, func(k int) bool { return k == int(s.at.batch) })
}
