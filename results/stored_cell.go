package results

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// StoredCell is the newest outcome of a cell in the files of a folder.
type StoredCell struct {
	dir, cell string
	at        source
}

// FindCell finds the newest outcome of a cell of the grid in dir, also while a store writes
// it or after its process was killed. It returns nil where dir has none of the
// cell, and an error that is [fs.ErrNotExist] where dir has no file of cells.
func FindCell(ctx context.Context, dir, cell string) (*StoredCell, error) {
	inventory, err := takeSome(ctx, dir)
	if err != nil {
		return nil, err
	}
	e, _, there := inventory.index.find(cell)
	if !there || e.source == inFormer {
		return nil, nil
	}
	return &StoredCell{dir, cell, e.source}, nil
}

// CellsBeginning returns up to most cells of the grid in dir whose identity begins so, also while
// a store writes it. Its error is [fs.ErrNotExist] where dir has no file of cells.
func CellsBeginning(ctx context.Context, dir, begin string, most int) (found []string, err error) {
	inventory, err := takeSome(ctx, dir)
	if err != nil {
		return nil, err
	}
	for _, e := range inventory.index.entries {
		if cell := e.key.String(); len(found) < most && e.source != inFormer && strings.HasPrefix(cell, begin) {
			found = append(found, cell)
		}
	}
	return found, nil
}

// takeSome is [TakeInventory] of a folder that must have a file of cells.
func takeSome(ctx context.Context, dir string) (*Inventory, error) {
	inventory, err := TakeInventory(ctx, dir, nil)
	if err == nil && inventory.files == 0 {
		err = fmt.Errorf("%s has no file of cells: %w", dir, fs.ErrNotExist)
	}
	return inventory, err
}

// Read reads the rows that the outcome has in a table: all columns, or those that are named.
// The error is [fs.ErrNotExist] where the table has no file.
func (s *StoredCell) Read(ctx context.Context, table string, columns ...string) (*Frame, error) {
	name := finalName(table)
	if s.at.segment > 0 {
		name = streamName(table, int(s.at.segment))
	}
	rows := &Frame{}
	// Batch k of a segment's streams holds the rows of the same outcomes.
	holds := func(k int, cells []string) bool {
		return (s.at.segment == 0 || k == int(s.at.batch)) && slices.Contains(cells, s.cell)
	}
	err := eachPart(ctx, filepath.Join(s.dir, name), holds, columns, func(cells []string, f *Frame) error {
		if rows.Columns == nil {
			*rows = Frame{Columns: f.Columns, Batch: newBatch(f.Columns), Metadata: f.Metadata}
		}
		from := slices.Index(cells, s.cell)
		n := cellRun(cells[from:])
		appendRows(&rows.Batch, 0, f.Columns, &f.Batch, from, from+n)
		rows.Batch.Rows += n
		return nil
	})
	return rows, err
}
