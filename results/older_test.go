package results

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agepath/agepath/experiment"
)

// TestOlderTables wants a folder that was written before a column came to be read with nulls there,
// and to be continued.
func TestOlderTables(t *testing.T) {
	t.Parallel()
	before := experiment.Tables{
		Labels: []experiment.Column{{Name: "dataset", Type: experiment.Text}}, Measures: []experiment.Column{{Name: "score", Type: experiment.Float}},
		Further: []experiment.Table{{Name: "knots", Columns: []experiment.Column{{Name: "cell", Type: experiment.Text}, {Name: "age", Type: experiment.Float}}}},
	}
	now := before
	now.Measures = slices.Insert(slices.Clone(before.Measures), 0, experiment.Column{Name: "new", Type: experiment.Text, Since: experiment.SchemaVersion + 1})
	now.Further = []experiment.Table{before.Further[0]}
	now.Further[0].Columns = append(slices.Clone(before.Further[0].Columns), experiment.Column{Name: "late", Type: experiment.Int, Since: experiment.SchemaVersion + 1})

	dir := t.TempDir()
	store, err := Open(t.Context(), dir, StoreOptions{Tables: before, Run: storeRun})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := store.Append(storeOutcome(before, i, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Compact(t.Context(), storeOrder(3)); err != nil {
		t.Fatal(err)
	}
	if err := store.Append(storeOutcome(before, 3, 0)); err != nil { // in a stream
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}

	if store, err = Open(t.Context(), dir, StoreOptions{Tables: now, Run: storeRun}); err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if n := experiment.CountAll(store.Counts()); n != 4 {
		t.Errorf("%d cells, want 4", n)
	}
	found := 0
	err = EachOutcome(t.Context(), dir, "test", now, []string{"knots"}, func(string, experiment.Status) bool { return true }, func(o *experiment.Outcome) error {
		found++
		if err := now.FitsRows(o); err != nil {
			t.Errorf("cell %s: %v", o.Cell, err)
		}
		if knots := o.Further["knots"]; o.Measures.Rows > 0 && !o.Measures.Columns[0].IsNull(0) || knots.Rows > 0 && !knots.Columns[1].IsNull(0) {
			t.Errorf("cell %s has values in columns that were not there", o.Cell)
		}
		return nil
	})
	if err != nil || found != 4 {
		t.Errorf("%d outcomes, %v", found, err)
	}
	if err := store.Append(storeOutcome(now, 4, 0)); err != nil {
		t.Fatal(err)
	}
	if err := store.Compact(t.Context(), storeOrder(5)); err != nil {
		t.Fatal(err)
	}
	cells, err := ReadTable(filepath.Join(dir, CellsFile), "new", "score")
	if err != nil || cells.Rows() != 5 {
		t.Fatalf("%d rows, %v", cells.Rows(), err)
	}
	for row := range 4 {
		var want any
		if of := storeOutcome(before, row, 0); of.Status.Computed() {
			want = of.Measures.At(before.Measures[0], 0, 0)
		}
		if cells.At(0, row) != nil || fmt.Sprint(cells.At(1, row)) != fmt.Sprint(want) {
			t.Errorf("cell %d: %v, %v; want null, %v", row, cells.At(0, row), cells.At(1, row), want)
		}
	}
}
