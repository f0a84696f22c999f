package results

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
)

// TestReportOfPartialRun reports a folder whose run has not ended: cells in
// streams alone, in cells.arrow too, computed again, and behind a torn end.
func TestReportOfPartialRun(t *testing.T) {
	t.Parallel()
	tables := experiment.SelfPacedTables()
	dir := t.TempDir()
	s := openStore(t, dir)
	add := func(from, to, version int) {
		t.Helper()
		for i := from; i < to; i++ {
			if err := s.Append(storeOutcome(tables, i, version)); err != nil {
				t.Fatal(err)
			}
		}
		flushStore(t, s)
	}
	check := func(when string, want int, partial bool) {
		t.Helper()
		r, err := Load(t.Context(), dir, Options{})
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		cells := 0
		for _, fact := range r.Statuses {
			n, err := strconv.Atoi(fact.Value)
			if err != nil {
				t.Fatal(err)
			}
			cells += n
		}
		missing := strings.Join(r.Missing, "\n")
		if cells != want || strings.Contains(missing, "the run has not ended") != partial || strings.Contains(missing, "no knots.arrow") {
			t.Errorf("%s: %d cells, want %d; missing: %s", when, cells, want, missing)
		}
	}
	add(0, 20, 0)
	add(10, 30, 1) // ten of them again
	check("streams alone", 30, true)
	compactStore(t, s, 40)
	check("gathered", 30, false)
	add(20, 40, 2)
	check("both", 40, true)
	closeStore(t, s)
	path := filepath.Join(dir, streamName("cells", 2))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)-20], 0o666); err != nil {
		t.Fatal(err)
	}
	check("torn", 30, true)
}

// TestPartialRunCountsTheNewest wants of a cell that was computed again the
// newest row.
func TestPartialRunCountsTheNewest(t *testing.T) {
	t.Parallel()
	tables := experiment.SelfPacedTables()
	dir := t.TempDir()
	s := openStore(t, dir)
	var last *experiment.Outcome
	for version := range 3 {
		last = storeOutcome(tables, 1, version)
		appendAll(t, s, last)
		flushStore(t, s)
	}
	closeStore(t, s)
	partial, err := newPartialCells(t.Context(), dir, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	var seconds []float64
	err = partial.eachNewest(t.Context(), []string{"cell", "wall_seconds"}, func(f *Frame) error {
		seconds = append(seconds, f.Batch.Columns[1].Floats...)
		return nil
	})
	if err != nil || len(seconds) != 1 || seconds[0] != last.Wall {
		t.Errorf("%v, %v, want %v", seconds, err, last.Wall)
	}
}
