package results

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/disk"
)

// storeAs opens a store of another run.
func storeAs(t *testing.T, dir, run string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir, StoreOptions{Tables: selfpaced.Tables(), Run: run})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEachOutcome reads the outcomes of a folder with files, files of former grids and
// streams, some of which are superseded, and stores them in another folder: they are the
// same to the last bit.
func TestEachOutcome(t *testing.T) {
	t.Parallel()
	const cells = 60
	tables, dir := selfpaced.Tables(), t.TempDir()
	newest := make([]*experiment.Outcome, cells)
	add := func(s *Store, version, from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			newest[i] = storeOutcome(tables, i, version)
			appendAll(t, s, newest[i])
			if i%7 == 0 {
				flushStore(t, s)
			}
		}
		flushStore(t, s)
	}
	s := openStore(t, dir)
	add(s, 0, 0, 40)
	compactStore(t, s, 30) // the others are of former grids
	add(s, 1, 10, 15)
	add(s, 2, 12, 35)
	closeStore(t, s)
	s = openStore(t, dir)
	add(s, 3, 30, cells)

	read := func(wanted func(cell string, status experiment.Status) bool, further ...string) (list []*experiment.Outcome) {
		t.Helper()
		err := EachOutcome(t.Context(), dir, "test", tables, further, wanted, func(o *experiment.Outcome) error {
			list = append(list, o)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	all := func(_ string, status experiment.Status) bool { return status.Computed() }
	var computed []*experiment.Outcome
	for _, o := range newest {
		if o.Status.Computed() {
			computed = append(computed, o)
		}
	}
	check := func(when string) {
		t.Helper()
		copied := t.TempDir()
		other := openStore(t, copied)
		list := read(all, "knots", "coefficients")
		if len(list) != len(computed) {
			t.Errorf("%s: %d outcomes, want %d", when, len(list), len(computed))
		}
		for _, o := range list {
			if o.Kind != "test" {
				t.Fatalf("%s: an outcome of the kind %q", when, o.Kind)
			}
		}
		appendAll(t, other, list...)
		compactStore(t, other, cells)
		closeStore(t, other)
		checkFiles(t, copied, tables, computed)
	}
	check("in files and streams")
	compactStore(t, s, 20)
	closeStore(t, s)
	check("in files")

	few := read(func(cell string, _ experiment.Status) bool { return cell == computed[3].Cell }, "knots")
	if len(few) != 1 || few[0].Cell != computed[3].Cell || len(few[0].Further) > 1 {
		t.Errorf("of one cell it gives %+v", few)
	}
	stop := errors.New("enough")
	err := EachOutcome(t.Context(), dir, "test", tables, nil, all, func(*experiment.Outcome) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("an error of the taker gives %v", err)
	}
	if err := EachOutcome(t.Context(), t.TempDir(), "test", tables, nil, all, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder gives %v", err)
	}
}

// killed is a disk under a process that is killed before it renames a file.
type killed struct {
	disk.OS
	file string
}

var errKilled = errors.New("killed")

func (k killed) Rename(from, to string) error {
	if filepath.Base(to) == k.file {
		return errKilled
	}
	return k.OS.Rename(from, to)
}

// TestOutcomesBetweenGrids refuses files that a killed run left of two grids, whose rows
// need not be in the same order.
func TestOutcomesBetweenGrids(t *testing.T) {
	t.Parallel()
	tables, dir := selfpaced.Tables(), t.TempDir()
	s := openStore(t, dir)
	appendAll(t, s, outcomesOf(5)...)
	compactStore(t, s, 5)
	closeStore(t, s)
	s, err := open(t.Context(), dir, StoreOptions{Tables: tables, Run: "other-run"}, killed{file: "knots.arrow"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Compact(t.Context(), storeOrder(4)); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	closeStore(t, s)
	each := func() error {
		return EachOutcome(t.Context(), dir, "test", tables, []string{"knots"}, func(string, experiment.Status) bool { return true }, func(*experiment.Outcome) error { return nil })
	}
	if err := each(); err == nil || !strings.Contains(err.Error(), "different runs") || !strings.Contains(err.Error(), "; run the grid into "+dir+" once more") {
		t.Errorf("files of two runs give %v", err)
	}
	s = storeAs(t, dir, "other-run")
	compactStore(t, s, 4)
	closeStore(t, s)
	if err := each(); err != nil {
		t.Errorf("run once more: %v", err)
	}
}
