package results

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/needs"
)

// TestFindCells looks for cells in a folder without files, in one whose run goes
// on, and in one that is gathered, and wants the newest outcome of each with its
// rows of all tables.
func TestFindCells(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
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
			var further []string
			for _, table := range tables.Further {
				further = append(further, table.Name)
			}
			wanted := func(id string, _ experiment.Status) bool { return id == found[0] }
			read := 0
			err = EachOutcome(t.Context(), dir, "", tables, further, wanted, func(stored *experiment.Outcome) error {
				if read++; stored.Cell != o.Cell || stored.Wall != o.Wall {
					t.Errorf("%s: cell %d: %+v; want %g s", when, i, stored, o.Wall)
				}
				for _, table := range further {
					if n := stored.Further[table].Rows; n != o.Further[table].Rows {
						t.Errorf("%s: cell %d has %d rows of %s; want %d", when, i, n, table, o.Further[table].Rows)
					}
				}
				return nil
			})
			if err != nil || read != 1 {
				t.Errorf("%s: cell %d is there %d times, %v", when, i, read, err)
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
