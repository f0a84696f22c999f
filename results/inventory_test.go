package results

import (
	"path/filepath"
	"testing"

	"github.com/agepath/agepath/experiment/selfpaced"
)

// TestInventory wants an inventory to say what the store says, at every point
// of its life, with repeated cells in the same and in another file.
func TestInventory(t *testing.T) {
	t.Parallel()
	dir, tables := filepath.Join(t.TempDir(), "out"), selfpaced.Tables()
	wantSame := func(when string, s *Store, cells int) {
		t.Helper()
		inventory, err := TakeInventory(t.Context(), dir, nil)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		if inventory.Len() != cells || s.Len() != cells {
			t.Errorf("%s: %d cells, the store has %d, want %d", when, inventory.Len(), s.Len(), cells)
		}
		for cell, want := range s.Done() {
			if have, _, ok := inventory.Newest(cell); !ok || have != want {
				t.Errorf("%s: cell %s is %s, want %s", when, cell, have, want)
			}
		}
		if status, _, ok := inventory.Newest(storeCell(-1)); ok {
			t.Errorf("%s: a cell that was never stored is %s", when, status)
		}
	}
	inventory, err := TakeInventory(t.Context(), dir, nil)
	if err != nil || inventory.Len() != 0 {
		t.Fatalf("a folder that is not there: %v, %v", inventory, err)
	}
	s := openStore(t, dir)
	wantSame("empty", s, 0)
	add := func(from, to, version int) {
		t.Helper()
		for i := from; i < to; i++ {
			if err := s.Append(storeOutcome(tables, i, version)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	add(0, 20, 0)
	add(10, 30, 1) // of these, ten again
	wantSame("in streams", s, 30)
	if err := s.Compact(t.Context(), storeOrder(40)); err != nil {
		t.Fatal(err)
	}
	wantSame("compacted", s, 30)
	add(20, 40, 2) // newer than those in cells.arrow
	wantSame("compacted and streams", s, 40)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, dir)
	add(0, 40, 3)
	wantSame("two segments", s, 40)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
