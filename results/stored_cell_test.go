package results

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
)

// TestFindCells looks for cells in a folder without files, in one whose run goes
// on, and in one that is gathered, and wants the newest outcome of each with its
// rows of all tables.
func TestFindCells(t *testing.T) {
	t.Parallel()
	tables := selfpaced.Tables()
	dir := t.TempDir()
	if _, err := FindCells(t.Context(), dir, storeCell(1), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder without cells: %v", err)
	}
	s := openStore(t, dir)
	newest := map[int]*experiment.Outcome{}
	add := func(from, to, version int) {
		t.Helper()
		for i := from; i < to; i++ {
			newest[i] = storeOutcome(tables, i, version)
			appendAll(t, s, newest[i])
			if i%7 == 0 {
				flushStore(t, s) // several batches
			}
		}
		flushStore(t, s)
	}
	check := func(when string) {
		t.Helper()
		for i, o := range newest {
			found, err := FindCells(t.Context(), dir, o.Cell, 1)
			if err != nil || len(found) == 0 {
				t.Fatalf("%s: cell %d: %v, %v", when, i, found, err)
			}
			stored := found[0]
			row, err := stored.Read(t.Context(), "cells", "wall_seconds")
			if err != nil || row.Rows() != 1 || row.At(0, 0) != o.Wall {
				t.Fatalf("%s: cell %d: %+v, %v; want one row of %g s", when, i, row, err, o.Wall)
			}
			for _, table := range tables.Further {
				rows, err := stored.Read(t.Context(), table.Name)
				if err != nil || rows.Rows() != o.Further[table.Name].Rows || rows.Rows() > 0 && rows.At(0, 0) != o.Cell {
					t.Errorf("%s: cell %d has %d rows of %s, error %v; want %d", when, i, rows.Rows(), table.Name, err, o.Further[table.Name].Rows)
				}
			}
		}
		if stored, err := FindCells(t.Context(), dir, storeCell(99), 1); stored != nil || err != nil {
			t.Errorf("%s: a cell that is not there: %v, %v", when, stored, err)
		}
	}
	add(0, 20, 0)
	add(10, 30, 1)
	check("streams alone")
	closeStore(t, s)
	s = openStore(t, dir)
	add(25, 35, 2)
	check("two segments")
	compactStore(t, s, 40)
	check("gathered")
	add(0, 5, 3)
	add(35, 40, 3)
	check("both")
	closeStore(t, s)
}
