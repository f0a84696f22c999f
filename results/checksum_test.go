package results

import (
	"bufio"
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/internal/testing/needs"
)

// compacted returns a folder of few tables that is complete, and its files.
func compacted(t testing.TB, cells int) (dir string, files map[string]string) {
	t.Helper()
	dir = t.TempDir()
	s := openFew(t, dir, disk.OS{})
	for i := range cells {
		appendAll(t, s, storeOutcome(fewTables(), i, 0))
	}
	compactStore(t, s, cells)
	closeStore(t, s)
	return dir, dirFiles(t, dir)
}

// Whichever bit of a complete folder's files is another one, the checksums tell,
// and so do run, which opens the folder, and report.
func TestFlippedBits(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	step := 15 // with AGEPATH_LONG=1 every byte
	if needs.Long() {
		step = 1
	}
	dir, files := compacted(t, 20)
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := checkSums(t.Context(), disk.OS{}, path); err != nil {
			t.Fatalf("%s, undamaged: %v", name, err)
		}
		rng := rand.New(rand.NewPCG(1, uint64(len(text))))
		for at := rng.IntN(step); at < len(text); at += step {
			damaged := []byte(text)
			damaged[at] ^= 1 << rng.IntN(8)
			writeDir(t, dir, map[string]string{name: string(damaged)})
			var damage *DamageError
			if err := checkSums(t.Context(), disk.OS{}, path); !errors.As(err, &damage) || !strings.Contains(err.Error(), path) {
				t.Fatalf("%s with another bit in byte %d: %v", name, at, err)
			}
			if rng.IntN(97) != 0 {
				continue
			}
			_, err := Open(t.Context(), dir, StoreOptions{Tables: fewTables(), Run: storeRun})
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Fatalf("%s with another bit in byte %d is opened: %v", name, at, err)
			}
			if err := CheckFiles(t.Context(), dir); err == nil || !strings.Contains(err.Error(), name) {
				t.Fatalf("a report of %s with another bit in byte %d: %v", name, at, err)
			}
		}
		writeDir(t, dir, map[string]string{name: text[:len(text)-100]})
		if err := checkSums(t.Context(), disk.OS{}, path); err == nil {
			t.Errorf("%s without its end passes", name)
		}
		writeDir(t, dir, map[string]string{name: text})
	}
	closeStore(t, openFew(t, dir, disk.OS{}))
}

// A file that was written without checksums is damaged.
func TestFilesWithoutChecksums(t *testing.T) {
	t.Parallel()
	dir, _ := compacted(t, 5)
	table := fewTables().Further[0]
	rows, err := ReadTable(filepath.Join(dir, "knots.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	out := &output{buffered: bufio.NewWriter(&file)}
	w, err := ipc.NewFileWriter(out, ipc.WithSchema(tableSchema(table, storeRun)), ipc.WithZstd())
	if err != nil {
		t.Fatal(err)
	}
	record, err := batchRecord(tableSchema(table, storeRun), table.Columns, &rows.Batch)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(record), w.Close(), out.buffered.Flush()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "knots.arrow")
	writeDir(t, dir, map[string]string{"knots.arrow": file.String()})
	var damage *DamageError
	if err := checkSums(t.Context(), disk.OS{}, path); !errors.As(err, &damage) {
		t.Errorf("a file without checksums: %v", err)
	}
}

// BenchmarkChecksums says what the check on opening costs by the byte of a file.
func BenchmarkChecksums(b *testing.B) {
	table := experiment.Table{Name: "t", Columns: []experiment.Column{{Name: "values", Type: experiment.FloatList}}}
	rng := rand.New(rand.NewPCG(1, 1))
	var rows experiment.Batch
	for range 4000 {
		values := make([]float64, 1000)
		for i := range values {
			values[i] = rng.NormFloat64()
		}
		if err := rows.Append(table.Columns, values); err != nil {
			b.Fatal(err)
		}
	}
	path := filepath.Join(b.TempDir(), "t.arrow")
	if err := WriteTable(path, table, "run", &rows, ZSTD); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	for b.Loop() {
		if err := checkSums(b.Context(), disk.OS{}, path); err != nil {
			b.Fatal(err)
		}
	}
}
