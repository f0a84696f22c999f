package results

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/agepath/agepath/experiment"
)

// Inventory tells which cells the files of a folder hold.
type Inventory struct{ index *index }

// TakeInventory finds the cells of a run in the files of dir, also while a store
// writes them. Unlike [Open] it takes no lock and changes nothing. It fails
// with a [*MismatchError] where the files are another run's; a folder that
// does not exist holds no cell.
func TakeInventory(ctx context.Context, dir, run string) (*Inventory, error) {
	inventory := &Inventory{newIndex()}
	segments, err := cellStreams(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return inventory, nil
	}
	if err != nil {
		return nil, err
	}
	// The newest outcome of a cell counts. A compaction makes cells.arrow
	// before it deletes the streams, so that read last it misses no cell.
	for _, number := range slices.Backward(segments) {
		err := inventory.add(ctx, filepath.Join(dir, streamName("cells", number)), run, number)
		if err != nil && !errors.Is(err, errTorn) {
			return nil, err
		}
	}
	return inventory, inventory.add(ctx, filepath.Join(dir, CellsFile), run, 0)
}

// cellStreams returns the segments in dir that have a stream of cells, rising.
func cellStreams(dir string) ([]int, error) {
	items, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var segments []int
	for _, item := range items {
		if table, number, ok := parseStreamName(item.Name()); ok && table == "cells" {
			segments = append(segments, number)
		}
	}
	slices.Sort(segments)
	return segments, nil
}

// add adds the cells of a file, the segment of that number or, for 0,
// cells.arrow, that no file before had.
func (v *Inventory) add(ctx context.Context, path, run string, number int) error {
	reader, err := OpenTable(path, indexed...)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer reader.Close()
	if have := reader.metadata()[MetadataRun]; have != run {
		return &MismatchError{path, "run", strconv.Quote(have), strconv.Quote(run)}
	}
	at := source{segment: int32(number)}
	return reader.each(ctx, math.MaxInt, func(_ int, f *Frame) error {
		return v.index.add(f, at, func(known *entry) bool { return known.source == at })
	})
}

// Len returns the number of cells.
func (v *Inventory) Len() int { return len(v.index.entries) }

// Status returns how a cell ended, false where it is not there.
func (v *Inventory) Status(cell string) (experiment.Status, bool) {
	e, _, ok := v.index.find(cell)
	if !ok {
		return "", false
	}
	return experiment.Statuses[e.status], true
}

// ShortOf returns the column short_of of a cell, 0 where it is null.
func (v *Inventory) ShortOf(cell string) float64 { return v.index.shortOf(cell) }
