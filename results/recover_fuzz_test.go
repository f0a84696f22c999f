package results

import (
	"path/filepath"
	"testing"

	"github.com/agepath/agepath/internal/disk"
)

// FuzzRecover opens folders whose files hold anything. It runs on the simulated
// disk: on a real one each execution waits for some ten syncs, a tenth of a second
// in all.
func FuzzRecover(f *testing.F) {
	const seeds = 2
	seed := func(compact bool) (cells, knots []byte) {
		d := fuzzDisk(f, nil)
		s := openFew(f, diskDir, d)
		for i := range seeds {
			appendAll(f, s, storeOutcome(fewTables(), i, 0))
			flushStore(f, s)
		}
		if compact {
			compactStore(f, s, seeds)
		}
		closeStore(f, s)
		files, names := d.Files(diskDir), fuzzNames(compact)
		return []byte(files[names[0]]), []byte(files[names[1]])
	}
	for _, finals := range []bool{false, true} {
		cells, knots := seed(finals)
		if len(cells) == 0 || len(knots) == 0 {
			f.Fatal("a seed is empty")
		}
		f.Add(cells, knots, finals)
	}
	f.Fuzz(func(t *testing.T, cells, knots []byte, finals bool) {
		names := fuzzNames(finals)
		d := fuzzDisk(t, map[string][]byte{names[0]: cells, names[1]: knots})
		for _, name := range names {
			readAll(d, filepath.Join(diskDir, name))
		}
		s, err := open(t.Context(), diskDir, StoreOptions{Tables: fewTables(), Run: storeRun}, d)
		if err != nil {
			return
		}
		// What opens can be used on, and is then whole.
		if err := s.Append(storeOutcome(fewTables(), seeds+1, 0)); err != nil {
			t.Fatal(err)
		}
		cellsDone := s.Len()
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := s.Compact(t.Context(), storeOrder(seeds+2)); err != nil {
			if !finals {
				t.Fatal(err)
			}
			return // damage to a final file, which is not looked through on opening
		}
		if s.Len() < cellsDone {
			t.Fatalf("%d cells of %d are left", s.Len(), cellsDone)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		again := openFew(t, diskDir, d)
		defer closeStore(t, again)
		if again.Len() != s.Len() || len(again.Omitted()) != 0 {
			t.Fatalf("%d cells after compaction, want %d; omitted %q", again.Len(), s.Len(), again.Omitted())
		}
	})
}

// fuzzNames are the files of a folder with one segment, or with final files.
func fuzzNames(finals bool) [2]string {
	if finals {
		return [2]string{finalName("cells"), finalName("knots")}
	}
	return [2]string{streamName("cells", 1), streamName("knots", 1)}
}

// fuzzDisk returns a disk with files in the folder of the run.
func fuzzDisk(t testing.TB, files map[string][]byte) *faultyDisk {
	t.Helper()
	d := newFaultyDisk()
	if err := disk.MkdirAll(d, diskDir); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := disk.WriteFile(d, filepath.Join(diskDir, name), data); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// readAll reads every value of a table, if it is one.
func readAll(d disk.FS, path string) {
	reader, err := openTable(d, path, nil)
	if err != nil {
		return
	}
	defer reader.Close()
	for {
		frame, err := reader.Next()
		if err != nil {
			return
		}
		for i := range frame.Rows() {
			for j := range frame.Columns {
				frame.At(j, i)
			}
		}
	}
}
