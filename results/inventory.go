package results

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
)

// Inventory lists the cells in the files of a folder.
type Inventory struct {
	index    *index
	files    int   // of cells, including streams
	segments []int // of the streams, ascending
}

// TakeInventory finds the cells in the files of dir, including those of former grids. Unlike [Open]
// it takes no lock, so a store may be writing. A missing folder has no cells; another schema
// version is a [*VersionError]. A computed cell counts if it has the needed further tables, at most
// 8.
func TakeInventory(ctx context.Context, dir string, needed []string) (*Inventory, error) {
	inventory := &Inventory{index: newIndex(needed, needed)}
	segments, err := cellStreams(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return inventory, nil
	}
	if err != nil {
		return nil, err
	}
	inventory.segments = segments
	// The newest outcome counts. A compaction writes cells.arrow before it deletes the streams, so
	// reading cells.arrow last misses no cell.
	for _, number := range slices.Backward(segments) {
		err := inventory.add(ctx, dir, number)
		if err != nil && !errors.Is(err, errTorn) {
			return nil, err
		}
	}
	if err := inventory.add(ctx, dir, 0); err != nil {
		return nil, err
	}
	return inventory, inventory.add(ctx, dir, formerSegment)
}

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

func (v *Inventory) add(ctx context.Context, dir string, number int) error {
	reader, err := OpenTable(filepath.Join(dir, fileName("cells", number)), indexed)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer reader.Close()
	v.files++
	return reader.each(ctx, math.MaxInt, func(k int, f *Frame) error {
		return v.index.add(f, sourceOf(number, k), func(known *entry) bool { return int(known.source.segment) == number })
	})
}

func (v *Inventory) Len() int { return len(v.index.entries) }

// Has reports whether a cell exists, even without the needed tables.
func (v *Inventory) Has(cell string) bool {
	_, _, ok := v.index.find(cell)
	return ok
}

// Newest returns how a cell ended, see [Store.Newest].
func (v *Inventory) Newest(cell string) (status experiment.Status, shortOf float64, there bool) {
	return v.index.newest(cell)
}

// FindCells finds up to most cells of the grid in dir whose identity is begin or begins with it,
// without a lock. Its error is [fs.ErrNotExist] if dir has no file of cells.
func FindCells(ctx context.Context, dir, begin string, most int) (found []string, err error) {
	inventory, err := TakeInventory(ctx, dir, nil)
	if err != nil {
		return nil, err
	}
	if inventory.files == 0 {
		return nil, fmt.Errorf("%s has no file of cells: %w", dir, fs.ErrNotExist)
	}
	for _, e := range inventory.index.entries {
		if cell := e.key.String(); len(found) < most && e.source != inFormer && strings.HasPrefix(cell, begin) {
			found = append(found, cell)
		}
	}
	return found, nil
}
