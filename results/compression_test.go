package results

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
)

// TestCompactTakesAnotherCompression opens a folder with one compression after another, half
// of the cells in streams: the files have the last one, hold the same rows, and equal those
// that were written so from the start. Without a change of either nothing is touched.
func TestCompactTakesAnotherCompression(t *testing.T) {
	t.Parallel()
	const n = 60
	outcomes, tables := outcomesOf(n), selfpaced.Tables()
	open := func(dir string, compression Compression) *Store {
		s, err := Open(t.Context(), dir, StoreOptions{Tables: tables, Run: storeRun, Compression: compression})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	dir := t.TempDir()
	s := open(dir, ZSTD)
	appendAll(t, s, outcomes[:n/2]...)
	compactStore(t, s, n/2)
	closeStore(t, s)
	for k, compression := range []Compression{LZ4, LZ4, Uncompressed, ZSTD, Uncompressed, LZ4, ""} {
		s := open(dir, compression)
		if k == 0 {
			appendAll(t, s, outcomes[n/2:]...)
			flushStore(t, s)
			closeStore(t, s)
			s = open(dir, compression)
		}
		before := dirFiles(t, dir)
		compactStore(t, s, n)
		closeStore(t, s)
		checkFiles(t, dir, tables, outcomes)
		if err := CheckFiles(t.Context(), dir); err != nil {
			t.Error(err)
		}
		if k == 1 && !maps.Equal(before, dirFiles(t, dir)) {
			t.Error("files that had the compression were touched")
		}
		fresh := t.TempDir()
		s = open(fresh, compression)
		appendAll(t, s, outcomes...)
		compactStore(t, s, n)
		closeStore(t, s)
		if !maps.Equal(dirFiles(t, fresh), dirFiles(t, dir)) {
			t.Errorf("%q after others gives other files than from the start", compression)
		}
	}
}

// TestLibraryReadsCompressions compares with the reader of the library, which decompresses
// by itself.
func TestLibraryReadsCompressions(t *testing.T) {
	t.Parallel()
	table := experiment.Table{Name: "t", Columns: []experiment.Column{
		{Name: "a", Type: experiment.Float}, {Name: "b", Type: experiment.Text}, {Name: "c", Type: experiment.FloatList}, {Name: "d", Type: experiment.Int},
	}}
	for _, compression := range Compressions {
		for _, rows := range []int{1, 7, batchRows + 1} {
			batch := randomRows(rand.New(rand.NewPCG(1, uint64(rows))), table.Columns, rows)
			path := filepath.Join(t.TempDir(), "t.arrow")
			if err := WriteTable(path, table, "run", &batch, Compression(compression)); err != nil {
				t.Fatal(err)
			}
			have, err := ReadTable(path)
			if err != nil {
				t.Fatal(err)
			}
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			reader, err := ipc.NewFileReader(file)
			if err != nil {
				t.Fatal(err)
			}
			row := 0
			for k := range reader.NumRecords() {
				record, err := reader.Record(k)
				if err != nil {
					t.Fatal(err)
				}
				for i := range int(record.NumRows()) {
					for j, column := range table.Columns {
						if is, should := have.At(j, row), libraryValue(record.Column(j), i); fmt.Sprint(is) != fmt.Sprint(should) {
							t.Fatalf("%s, %d rows: row %d of %s is %v, the library reads %v", compression, rows, row, column.Name, is, should)
						}
					}
					row++
				}
			}
			if row != rows || have.Rows() != rows {
				t.Errorf("%s: the library reads %d rows, we %d, want %d", compression, row, have.Rows(), rows)
			}
			file.Close()
		}
	}
}

// libraryValue reads with the library alone.
func libraryValue(column arrow.Array, i int) any {
	if column.IsNull(i) {
		return nil
	}
	switch column := column.(type) {
	case *array.Int64:
		return column.Value(i)
	case *array.Float64:
		return column.Value(i)
	case *array.List:
		from, to := column.ValueOffsets(i)
		return column.ListValues().(*array.Float64).Float64Values()[from:to]
	}
	return column.(*array.String).Value(i)
}

// TestDamagedLZ4 changes bytes of a file without looking at its checksums: reading must end
// with an error or with rows, not in a panic or with memory that the file only claims.
func TestDamagedLZ4(t *testing.T) {
	t.Parallel()
	table := experiment.Table{Name: "t", Columns: []experiment.Column{{Name: "a", Type: experiment.Text}, {Name: "b", Type: experiment.FloatList}}}
	random := rand.New(rand.NewPCG(4, 4))
	batch := randomRows(random, table.Columns, 300)
	dir := t.TempDir()
	path := filepath.Join(dir, "t.arrow")
	if err := WriteTable(path, table, "run", &batch, LZ4); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for range 300 {
		damaged := append([]byte(nil), whole...)
		at := random.IntN(len(damaged))
		damaged[at] ^= 1 << random.IntN(8)
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadTable(path); err != nil {
			refused++
		}
		if err := CheckFiles(t.Context(), dir); !errors.As(err, new(*DamageError)) && !errors.As(err, new(*VersionError)) {
			t.Fatalf("a changed bit of byte %d is not noticed: %v", at, err)
		}
	}
	if refused == 0 {
		t.Error("no damage is noticed by reading")
	}
}
