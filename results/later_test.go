package results

import (
	"path/filepath"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/disk"
)

// TestLaterColumns wants the files of a version that did not have the last columns
// read, and written with nulls there.
func TestLaterColumns(t *testing.T) {
	t.Parallel()
	dir, outcomes := t.TempDir(), outcomesOf(3)
	store := func(outcomes ...*experiment.Outcome) {
		t.Helper()
		s := openStore(t, dir)
		appendAll(t, s, outcomes...)
		compactStore(t, s, 3)
		closeStore(t, s)
	}
	store(outcomes[:2]...)

	path, table := filepath.Join(dir, CellsFile), selfpaced.Tables().Cells()
	older := table
	older.Columns = table.Columns[:len(table.Columns)-len(laterColumns)]
	var names []string
	for _, column := range older.Columns {
		names = append(names, column.Name)
	}
	frame, err := ReadTable(path, names...)
	if err != nil {
		t.Fatal(err)
	}
	err = disk.Write(disk.OS{}, path, func(file disk.File) error {
		schema := withTables(withChecksums(tableSchema(older, storeRun)), nil)
		w, err := newTableWriter(file, schema, older.Columns, true, batchRows, ZSTD)
		if err == nil {
			err = w.add(&frame.Batch, 0, frame.Rows())
		}
		if err == nil {
			err = w.finish()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s := openStore(t, dir)
	if status, short, there := s.Newest(storeCell(0)); !there || status != outcomes[0].Status || short != 0 {
		t.Errorf("of the older file: %s, short of %g, %v", status, short, there)
	}
	closeStore(t, s)
	inventory, err := TakeInventory(t.Context(), dir, []string{"knots"})
	if err != nil || inventory.Len() != 2 {
		t.Errorf("the inventory is %+v, %v", inventory, err)
	}
	// What a cell was computed for is taken from its rows.
	for i, o := range outcomes[:2] {
		if _, there := inventory.Status(storeCell(i)); there != (o.Further["knots"].Rows > 0) {
			t.Errorf("cell %d of the older file, with %d knots, is there: %t", i, o.Further["knots"].Rows, there)
		}
	}

	late := *outcomes[2]
	late.Status, late.Measures, late.Further = experiment.Timeout, experiment.Batch{}, nil
	late.Short = 90
	store(&late)
	frame, err = ReadTable(path)
	if err != nil {
		t.Fatal(err)
	}
	short, err := frame.Column("short_of", experiment.Float)
	if err != nil || frame.Rows() != 3 || !short.IsNull(0) || !short.IsNull(1) || short.IsNull(2) || short.Floats[2] != 90 {
		t.Errorf("the column is %+v, %v", short, err)
	}
	tables, err := frame.Column("tables", experiment.Text)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{computedFor(selfpaced.Tables(), outcomes[0]), computedFor(selfpaced.Tables(), outcomes[1]), ""} {
		if tables.Texts[i] != want || tables.IsNull(i) != (want == "") {
			t.Errorf("cell %d is said to be computed for %q, want %q", i, tables.Texts[i], want)
		}
	}
	s = openStore(t, dir)
	defer closeStore(t, s)
	if _, short, _ := s.Newest(storeCell(2)); short != 90 {
		t.Errorf("stored and read, short of %g", short)
	}
}
