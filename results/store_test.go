package results

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/needs"
)

func TestStoreRoundTrip(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	outcomes := outcomesOf(100)
	s := openStore(t, dir)
	for i, o := range slices.Backward(outcomes) {
		appendAll(t, s, o)
		if i%17 == 0 {
			flushStore(t, s)
		}
		if status, _, ok := s.Newest(o.Cell); !ok || status != o.Status {
			t.Errorf("the newest of cell %d is %q, %t; want %q", i, status, ok, o.Status)
		}
		if _, ok := s.status(o.Cell); ok != (i%17 == 0) {
			t.Errorf("cell %d is durable: %t", i, ok)
		}
	}
	compactStore(t, s, 100)
	if status, ok := s.status(storeCell(3)); !ok || status != outcomes[3].Status {
		t.Errorf("cell 3 is %q, %t; want %q", status, ok, outcomes[3].Status)
	}
	if _, ok := s.status(storeCell(100)); ok {
		t.Error("a cell that was never appended is done")
	}
	counts := map[experiment.Status]int{}
	for _, status := range experiment.Statuses {
		counts[status] = 0
	}
	for _, o := range outcomes {
		counts[o.Status]++
	}
	if have := s.Counts(); !maps.Equal(have, counts) {
		t.Errorf("counts are %v, want %v", have, counts)
	}
	closeStore(t, s)
	checkFiles(t, dir, selfpaced.Tables(), outcomes)
	names := slices.Sorted(maps.Keys(dirFiles(t, dir)))
	if want := []string{"cells.arrow", "coefficients.arrow", "knots.arrow"}; !slices.Equal(names, want) {
		t.Errorf("the folder has %v, want %v", names, want)
	}
}

// A file must be readable by those who expect a stream as well.
func TestLibraryReadsFiles(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 30} {
		dir := t.TempDir()
		s := openStore(t, dir)
		appendAll(t, s, outcomesOf(n)...)
		compactStore(t, s, n)
		closeStore(t, s)
		for name, text := range dirFiles(t, dir) {
			file, err := ipc.NewFileReader(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			rows := int64(0)
			for i := range file.NumRecords() {
				record, err := file.Record(i)
				if err != nil {
					t.Fatal(err)
				}
				rows += record.NumRows()
			}
			// The magic and its padding come before the stream.
			rest := strings.NewReader(text[8:])
			stream, err := ipc.NewReader(rest)
			if err != nil {
				t.Fatal(err)
			}
			for stream.Next() {
				rows -= stream.Record().NumRows()
			}
			if err := stream.Err(); err != nil {
				t.Errorf("%s as a stream: %v", name, err)
			}
			if rows != 0 {
				t.Errorf("%s: file and stream differ by %d rows", name, rows)
			}
			md := file.Schema().Metadata()
			for key, want := range map[string]string{
				MetadataVersion: strconv.Itoa(experiment.SchemaVersion), MetadataRun: storeRun, MetadataTable: strings.TrimSuffix(name, ".arrow"),
			} {
				if have := md.Values()[md.FindKey(key)]; have != want {
					t.Errorf("%s: metadata %s is %q, want %q", name, key, have, want)
				}
			}
			if n == 0 && file.NumRecords() != 1 {
				t.Errorf("%s without rows has %d batches, want 1", name, file.NumRecords())
			}
		}
	}
}

// Equal outcomes give equal bytes: in any order of arrival, in any batches,
// over restarts, with cells repeated, and however little memory sorting gets.
func TestFilesDoNotDependOnArrival(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	const n = 200
	tables := selfpaced.Tables()
	outcomes := outcomesOf(n)
	var want map[string]string
	arrivals := uint64(3)
	if needs.Long() {
		arrivals = 6
	}
	for seed := range arrivals {
		rng := rand.New(rand.NewPCG(seed, 0))
		dir := t.TempDir()
		s := openStore(t, dir)
		for _, i := range rng.Perm(n) {
			if rng.IntN(4) == 0 {
				appendAll(t, s, storeOutcome(tables, i, 1))
			}
			if rng.IntN(10) == 0 {
				flushStore(t, s)
			}
			appendAll(t, s, outcomes[i])
			switch rng.IntN(60) {
			case 0:
				closeStore(t, s)
				s = openStore(t, dir)
			case 1:
				compactStore(t, s, n)
			}
		}
		// From a run a batch, more than are merged at once, to all in memory.
		s.limits = sortLimits{bytes: 1 << (8 + 4*seed), fanIn: 2 + int(seed), rows: 3}
		compactStore(t, s, n)
		closeStore(t, s)
		have := dirFiles(t, dir)
		if want == nil {
			want = have
			checkFiles(t, dir, tables, outcomes)
		}
		if !maps.Equal(have, want) {
			t.Errorf("arrival %d gives other files than arrival 0", seed)
		}
	}
}

// ZSTD compresses large buffers in the background; the bytes must not depend
// on how many processors that has. Not parallel: it sets their number.
func TestFilesDoNotDependOnProcessors(t *testing.T) {
	table := experiment.Table{Name: "t", Columns: []experiment.Column{
		{Name: "a", Type: experiment.Float}, {Name: "b", Type: experiment.Text}, {Name: "c", Type: experiment.FloatList},
	}}
	rows := randomRows(rand.New(rand.NewPCG(1, 1)), table.Columns, 3*batchRows)
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	files := map[string]bool{}
	for _, n := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(n)
		for _, compression := range Compressions {
			dir := t.TempDir()
			if err := WriteTable(filepath.Join(dir, "t.arrow"), table, "run", &rows, Compression(compression)); err != nil {
				t.Fatal(err)
			}
			files[dirFiles(t, dir)["t.arrow"]] = true
		}
	}
	if len(files) != len(Compressions) {
		t.Errorf("%d different files of the same rows in %d compressions", len(files), len(Compressions))
	}
}

func TestCompactTouchesNothingWhenNothingChanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	appendAll(t, s, outcomesOf(20)...)
	compactStore(t, s, 20)
	closeStore(t, s)
	long := time.Unix(1e9, 0)
	before := dirFiles(t, dir)
	for name := range before {
		if err := os.Chtimes(filepath.Join(dir, name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	s = openStore(t, dir)
	compactStore(t, s, 20)
	closeStore(t, s)
	if !maps.Equal(dirFiles(t, dir), before) {
		t.Error("the files changed")
	}
	for name := range before {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !info.ModTime().Equal(long) {
			t.Errorf("%s was written again", name)
		}
	}
	// Another order of the grid is a change.
	s = openStore(t, dir)
	other := slices.Collect(storeOrder(20))
	slices.Reverse(other)
	if err := s.Compact(t.Context(), slices.Values(other)); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	outcomes := outcomesOf(20)
	slices.Reverse(outcomes)
	checkFiles(t, dir, selfpaced.Tables(), outcomes)
}

func TestCancelledCompaction(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	appendAll(t, s, outcomesOf(5)...)
	flushStore(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Compact(ctx, storeOrder(5)); !errors.Is(err, context.Canceled) {
		t.Errorf("compacting: %v", err)
	}
	if names := slices.Sorted(maps.Keys(dirFiles(t, dir))); len(names) != 3 || strings.HasSuffix(names[0], ".tmp") {
		t.Errorf("the folder has %v", names)
	}
	closeStore(t, s)
	if _, err := Open(ctx, dir, StoreOptions{Tables: selfpaced.Tables(), Run: storeRun}); !errors.Is(err, context.Canceled) {
		t.Errorf("opening: %v", err)
	}
	s = openStore(t, dir)
	compactStore(t, s, 5)
	closeStore(t, s)
	checkFiles(t, dir, selfpaced.Tables(), outcomesOf(5))
}

// Cells that a grid does not have are set aside, by identity, keep their run, and come
// back when a grid has them.
func TestFormerCells(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	outcomes := outcomesOf(6)
	appendAll(t, s, outcomes...)
	compactStore(t, s, 6)
	closeStore(t, s)
	whole := dirFiles(t, dir)

	tables := selfpaced.Tables()
	s, err := Open(t.Context(), dir, StoreOptions{Tables: tables, Run: "next-run"})
	if err != nil || !s.Foreign() || s.Len() != 6 {
		t.Fatalf("the next run's store: %v, foreign %t, %d cells", err, s.Foreign(), s.Len())
	}
	compactStore(t, s, 3)
	if counts := s.Counts(); counts[experiment.OK]+counts[experiment.Incomplete]+counts[experiment.Failed]+counts[experiment.Timeout]+
		counts[experiment.Memory]+counts[experiment.Diverged]+counts[experiment.Cancelled] != 3 {
		t.Errorf("the counts are %v", counts)
	}
	closeStore(t, s)
	checkFiles(t, dir, tables, outcomes[:3])
	former := t.TempDir()
	for name, text := range dirFiles(t, dir) {
		if name, ok := strings.CutPrefix(name, formerPrefix); ok {
			writeDir(t, former, map[string]string{name: text})
		}
	}
	rest := slices.Clone(outcomes[3:])
	slices.SortFunc(rest, func(a, b *experiment.Outcome) int { return strings.Compare(a.Cell, b.Cell) })
	checkFiles(t, former, tables, rest)
	inventory, err := TakeInventory(t.Context(), dir, nil)
	if err != nil || inventory.Len() != 6 {
		t.Errorf("the inventory has %d cells (%v)", inventory.Len(), err)
	}
	grown := dirFiles(t, dir)
	s, err = Open(t.Context(), dir, StoreOptions{Tables: tables, Run: "next-run"})
	if err != nil {
		t.Fatal(err)
	}
	compactStore(t, s, 3)
	closeStore(t, s)
	if !maps.Equal(dirFiles(t, dir), grown) {
		t.Error("gathering again changes the files")
	}
	s = openStore(t, dir)
	compactStore(t, s, 6)
	closeStore(t, s)
	if !maps.Equal(dirFiles(t, dir), whole) {
		t.Error("the cells that came back make other files")
	}
}

// A computed cell that was not computed for a table that is needed is not there. One
// that was, and rightly has no rows in it, is.
func TestNeededTables(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tables := selfpaced.Tables()
	empty := map[int]bool{4: true}
	outcome := func(cell int, further ...int) *experiment.Outcome {
		o := storeOutcome(tables, cell, 0)
		o.Status, o.Error, o.Further = experiment.OK, "", map[string]experiment.Batch{}
		o.Measures = randomRows(rand.New(rand.NewPCG(1, 2)), tables.Measures, 1)
		for _, k := range further {
			rows := 2
			if k == 1 && empty[cell] {
				rows = 0
			}
			o.Further[tables.Further[k].Name] = randomRows(rand.New(rand.NewPCG(1, 3)), tables.Further[k].Columns[1:], rows)
		}
		return o
	}
	failed := outcome(3)
	failed.Status, failed.Error, failed.Measures = experiment.Failed, "it did", experiment.Batch{}
	want := func(when string, cells ...int) {
		t.Helper()
		s, err := Open(t.Context(), dir, StoreOptions{Tables: tables, Run: storeRun, Needed: []string{"knots", "coefficients"}})
		if err != nil {
			t.Fatal(err)
		}
		defer closeStore(t, s)
		inventory, err := TakeInventory(t.Context(), dir, []string{"knots", "coefficients"})
		if err != nil {
			t.Fatal(err)
		}
		for cell := range 5 {
			_, stored := s.status(storeCell(cell))
			_, _, listed := inventory.Newest(storeCell(cell))
			if want := slices.Contains(cells, cell); stored != want || listed != want {
				t.Errorf("%s: cell %d is there: %t in the store, %t in the inventory, want %t", when, cell, stored, listed, want)
			}
		}
	}
	s := openStore(t, dir)
	appendAll(t, s, outcome(0, 0, 1), outcome(1, 0), outcome(2, 1), failed, outcome(4, 0, 1))
	closeStore(t, s)
	want("in streams", 0, 3, 4)
	s = openStore(t, dir)
	compactStore(t, s, 2)
	closeStore(t, s)
	want("in files", 0, 3, 4)
	s, err := Open(t.Context(), dir, StoreOptions{Tables: tables, Run: storeRun, Needed: []string{"knots", "coefficients"}})
	if err != nil {
		t.Fatal(err)
	}
	appendAll(t, s, outcome(1, 0, 1), outcome(2, 0, 1))
	compactStore(t, s, 5)
	closeStore(t, s)
	want("computed again", 0, 1, 2, 3, 4)
	frame, err := ReadTable(filepath.Join(dir, CellsFile), "tables")
	if err != nil {
		t.Fatal(err)
	}
	for cell := range 5 {
		have := frame.At(0, cell)
		if cell == 3 && have != nil || cell != 3 && have != "cells,knots,coefficients" {
			t.Errorf("cell %d was computed for %v", cell, have)
		}
	}
}

func TestFurtherTablesThatAreNotKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	options := StoreOptions{Tables: selfpaced.Tables(), Run: storeRun, Kept: []string{"knots"}}
	with := func(outcomes []*experiment.Outcome, want ...string) {
		t.Helper()
		s, err := Open(t.Context(), dir, options)
		if err != nil {
			t.Fatal(err)
		}
		appendAll(t, s, outcomes...)
		compactStore(t, s, 10)
		closeStore(t, s)
		if names := slices.Sorted(maps.Keys(dirFiles(t, dir))); !slices.Equal(names, want) {
			t.Errorf("the folder has %v, want %v", names, want)
		}
	}
	without := storeOutcome(options.Tables, 1, 0)
	without.Further = nil
	with([]*experiment.Outcome{without}, "cells.arrow", "knots.arrow")
	whole := storeOutcome(options.Tables, 1, 0)
	whole.Further = map[string]experiment.Batch{
		"coefficients": randomRows(rand.New(rand.NewPCG(1, 1)), options.Tables.Further[1].Columns[1:], 2),
	}
	with([]*experiment.Outcome{whole}, "cells.arrow", "coefficients.arrow", "knots.arrow")
	with([]*experiment.Outcome{without}, "cells.arrow", "knots.arrow")
	options.Kept = nil
	with(nil, "cells.arrow", "coefficients.arrow", "knots.arrow")
	options.Kept = []string{"weights"}
	if _, err := Open(t.Context(), dir, options); err == nil || !strings.Contains(err.Error(), `"weights"`) {
		t.Errorf("keeping a table that is not there: %v", err)
	}
}

func TestStoreLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	_, err := Open(t.Context(), dir, StoreOptions{Tables: selfpaced.Tables(), Run: storeRun})
	var locked *LockedError
	if !errors.As(err, &locked) || !strings.Contains(err.Error(), fmt.Sprint("process ", os.Getpid())) {
		t.Errorf("opening twice: %v", err)
	}
	closeStore(t, s)
	closeStore(t, openStore(t, dir))
}

func TestStoreRefusesOtherResults(t *testing.T) {
	t.Parallel()
	tables := selfpaced.Tables()
	for _, final := range []bool{false, true} {
		dir := t.TempDir()
		s := openStore(t, dir)
		appendAll(t, s, outcomesOf(3)...)
		if final {
			compactStore(t, s, 3)
		}
		closeStore(t, s)
		renamed := tables
		renamed.Measures = slices.Clone(tables.Measures)
		renamed.Measures[0].Type = experiment.Int
		fewer := tables
		fewer.Further = []experiment.Table{{Name: "knots", Columns: tables.Further[0].Columns[:3]}}
		for want, options := range map[string]StoreOptions{
			`its column 40 is metric (utf8), not metric (int64)`: {Tables: renamed, Run: storeRun},
			`its column 4 is direction (utf8), not absent`:       {Tables: fewer, Run: storeRun},
		} {
			_, err := Open(t.Context(), dir, options)
			var mismatch *MismatchError
			if !errors.As(err, &mismatch) || !strings.Contains(err.Error(), want) {
				t.Errorf("final %t: %v; want %s", final, err, want)
			}
		}
		for name, text := range dirFiles(t, dir) {
			// The version is one of the texts of the schema's metadata.
			key := []byte("agepath.schema_version")
			at := bytes.Index([]byte(text), key)
			changed := []byte(text)
			have := []byte(strconv.Itoa(experiment.SchemaVersion))
			i := bytes.LastIndex(changed[:at], have)
			if i < 0 {
				t.Fatalf("no version before the key in %s", name)
			}
			copy(changed[i:], "99")
			writeDir(t, dir, map[string]string{name: string(changed)})
			_, err := Open(t.Context(), dir, StoreOptions{Tables: tables, Run: storeRun})
			var version *VersionError
			if !errors.As(err, &version) || version.Have != "99" || !strings.Contains(err.Error(), name) ||
				!strings.Contains(err.Error(), "of schema version 99, and this agepath reads versions ") {
				t.Errorf("%s of another version: %v", name, err)
			}
			// Also columns that both versions have may have another meaning.
			for _, column := range []string{"cell", "agepath"} {
				if _, err := ReadTable(filepath.Join(dir, name), column); !errors.As(err, &version) || !strings.Contains(err.Error(), name) {
					t.Errorf("column %s of %s of another version: %v", column, name, err)
				}
			}
			if strings.HasPrefix(name, "cells.") {
				if _, err := TakeInventory(t.Context(), dir, nil); !errors.As(err, &version) {
					t.Errorf("inventory of %s of another version: %v", name, err)
				}
				err := CheckFiles(t.Context(), dir)
				if err == nil {
					_, err = EachNewest(t.Context(), dir, "cells", indexed[:1], func(*Frame) error { return nil })
				}
				if !errors.As(err, &version) {
					t.Errorf("report of %s of another version: %v", name, err)
				}
			}
			writeDir(t, dir, map[string]string{name: text})
		}
	}
}

func TestStoreRefusesBadFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeDir(t, dir, map[string]string{"file": "text"})
	options := StoreOptions{Tables: selfpaced.Tables(), Run: storeRun}
	if _, err := Open(t.Context(), filepath.Join(dir, "file"), options); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("a file for a folder: %v", err)
	}
	for text, want := range map[string]string{
		"":                       "no Arrow schema",
		"ARROW1\x00\x00":         "its footer is missing",
		strings.Repeat("x", 100): "no Arrow schema",
	} {
		for _, name := range []string{"cells.arrow", "knots.arrow"} {
			sub := t.TempDir()
			writeDir(t, sub, map[string]string{name: text})
			_, err := Open(t.Context(), sub, options)
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s of %d bytes: %v", name, len(text), err)
			}
		}
	}
	lost := t.TempDir()
	s := openStore(t, lost)
	appendAll(t, s, outcomesOf(3)...)
	compactStore(t, s, 3)
	closeStore(t, s)
	if err := os.Remove(filepath.Join(lost, "knots.arrow")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), lost, options); err == nil || !strings.Contains(err.Error(), "knots.arrow is missing") {
		t.Errorf("without knots.arrow: %v", err)
	}
}

func TestAppendRefusesBadOutcomes(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	defer closeStore(t, s)
	tables := selfpaced.Tables()
	var whole int
	for storeOutcome(tables, whole, 0).Further["knots"].Rows == 0 {
		whole++
	}
	for want, spoil := range map[string]func(*experiment.Outcome){
		"32 hex digits":               func(o *experiment.Outcome) { o.Cell = "abc" },
		"lower case":                  func(o *experiment.Outcome) { o.Cell = strings.Repeat("AB", 16) },
		`run "other"`:                 func(o *experiment.Outcome) { o.Run = "other" },
		`no status "fine"`:            func(o *experiment.Outcome) { o.Status = "fine" },
		"labels: has 0 columns":       func(o *experiment.Outcome) { o.Labels = experiment.Batch{} },
		"measures: none":              func(o *experiment.Outcome) { o.Measures = experiment.Batch{} },
		"measures: has 2 columns":     func(o *experiment.Outcome) { o.Measures.Columns = o.Measures.Columns[:2] },
		"does not declare":            func(o *experiment.Outcome) { o.Further["other"] = experiment.Batch{} },
		"column metric: 0 values":     func(o *experiment.Outcome) { o.Measures.Columns[0].Texts = nil },
		"1 values and 2 null marks":   func(o *experiment.Outcome) { o.Measures.Columns[1].Null = []bool{true, false} },
		"dataset: row 0 is not valid": func(o *experiment.Outcome) { o.Labels.Columns[0].Texts = []string{"\xff"} },
		"table knots: column age":     func(o *experiment.Outcome) { o.Further["knots"].Columns[1].Floats = nil },
	} {
		o := storeOutcome(tables, whole, 0)
		spoil(o)
		if err := s.Append(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %s", err, want)
		}
	}
	if err := s.Flush(); err != nil || s.Len() != 0 {
		t.Errorf("%d refused outcomes were stored, %v", s.Len(), err)
	}
}

func TestStoreOfBadMessages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	o := storeOutcome(selfpaced.Tables(), 1, 0)
	o.Status, o.Error = experiment.Failed, "bytes \xff\xfe end"
	appendAll(t, s, o)
	compactStore(t, s, 2)
	closeStore(t, s)
	frame, err := ReadTable(filepath.Join(dir, "cells.arrow"), "error")
	if err != nil {
		t.Fatal(err)
	}
	if have := frame.At(0, 0); have != "bytes \uFFFD end" {
		t.Errorf("the error is %q", have)
	}
}

func TestAppendConcurrently(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	outcomes := outcomesOf(200)
	var group sync.WaitGroup
	for part := range slices.Chunk(outcomes, 50) {
		group.Go(func() {
			for i, o := range part {
				if err := s.Append(o); err != nil {
					t.Error(err)
				}
				if i%20 == 0 {
					if err := s.Compact(t.Context(), storeOrder(200)); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	group.Wait()
	compactStore(t, s, 200)
	closeStore(t, s)
	checkFiles(t, dir, selfpaced.Tables(), outcomes)
}

func TestReadTable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	tables := selfpaced.Tables()
	outcomes := outcomesOf(50)
	for _, o := range outcomes {
		appendAll(t, s, o)
		flushStore(t, s)
	}
	want := expectedRows(tables, outcomes)["cells"]
	check := func(name string, columns ...string) {
		t.Helper()
		frame, err := ReadTable(filepath.Join(dir, name), columns...)
		if err != nil {
			t.Fatal(err)
		}
		if frame.Metadata[MetadataRun] != storeRun {
			t.Errorf("metadata is %v", frame.Metadata)
		}
		all := tables.Cells().Columns
		for j, column := range columns {
			at := slices.IndexFunc(all, func(c experiment.Column) bool { return c.Name == column })
			if frame.Index(column) != j || frame.Columns[j].Type != all[at].Type {
				t.Fatalf("column %d is %v, want %v", j, frame.Columns[j], all[at])
			}
			for i := range want {
				if exact(frame.At(j, i)) != exact(want[i][at]) {
					t.Fatalf("%s of row %d is %v, want %v", column, i, frame.At(j, i), want[i][at])
				}
			}
		}
		if frame.Rows() != len(want) {
			t.Errorf("%d rows, want %d", frame.Rows(), len(want))
		}
	}
	check("cells.0001.arrows", "started_at", "cell", "test_at_best_test", "repeat")
	compactStore(t, s, 50)
	closeStore(t, s)
	check("cells.arrow", "started_at", "cell", "test_at_best_test", "repeat")

	path := filepath.Join(dir, "cells.arrow")
	if _, err := ReadTable(path, "cell", "scores"); err == nil || !strings.Contains(err.Error(), "no column scores") {
		t.Errorf("a column that is not there: %v", err)
	}
	if _, err := ReadTable(filepath.Join(dir, "no.arrow")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	frame, err := ReadTable(path, "cell", "repeat")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := frame.Column("cell", experiment.Int); err == nil || err.Error() != "column cell holds texts, not integers" {
		t.Errorf("a column of another type: %v", err)
	}
	if _, err := frame.Column("c", experiment.Float); err == nil || err.Error() != "there is no column c" {
		t.Errorf("a column that was not read: %v", err)
	}
}

// Columns that were not asked for are not even read: damage to them goes
// unseen.
func TestReadTableLeavesOtherColumns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	table := experiment.Table{Name: "t", Columns: []experiment.Column{
		{Name: "a", Type: experiment.Text}, {Name: "b", Type: experiment.FloatList}, {Name: "c", Type: experiment.Int},
	}}
	rows := randomRows(rand.New(rand.NewPCG(1, 2)), table.Columns, 500)
	path := filepath.Join(dir, "t.arrow")
	if err := WriteTable(path, table, "run", &rows, ZSTD); err != nil {
		t.Fatal(err)
	}
	whole, err := ReadTable(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	scanner := messageScanner{r: bytes.NewReader(text), size: int64(len(text)), offset: 8}
	for {
		m, err := scanner.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if m.kind != batchMessage {
			continue
		}
		header, err := parseBatchHeader(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range header.buffers[3:7] { // those of column b
			copy(text[m.body+b.offset:], bytes.Repeat([]byte{0xAA}, int(b.length)))
		}
	}
	writeDir(t, dir, map[string]string{"t.arrow": string(text)})
	part, err := ReadTable(path, "c", "a")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		if part.At(0, i) != whole.At(2, i) || part.At(1, i) != whole.At(0, i) {
			t.Fatalf("row %d is %v, %v; want %v, %v", i, part.At(0, i), part.At(1, i), whole.At(2, i), whole.At(0, i))
		}
	}
	if _, err := ReadTable(path, "b"); !errors.Is(err, errTorn) {
		t.Errorf("the damaged column: %v", err)
	}
}

// TestIndex holds the index against a map, in orders of all kinds.
func TestIndex(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 8))
	x, want := newIndex(nil, nil), map[string]rowSource{}
	var cells []string
	for i := range 5000 {
		cell := storeCell(rng.IntN(4000)) // some come again
		if _, known := want[cell]; !known {
			cells = append(cells, cell)
		}
		want[cell] = rowSource{0, int32(i)}
		key, err := ParseCell(cell)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.set(key, want[cell], experiment.Statuses[i%2], 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	check := func(order []string) {
		t.Helper()
		counts := x.counts()
		if len(x.entries) != len(want) || counts[experiment.Statuses[0]]+counts[experiment.Statuses[1]] != len(want) {
			t.Fatalf("%d entries, counts %v, want %d", len(x.entries), counts, len(want))
		}
		for i, cell := range order {
			e, slot, ok := x.find(cell)
			if !ok || int(slot) != i || e.key.String() != cell || e.source != want[cell] {
				t.Fatalf("cell %s, the %dth, is found (%v) at %d with %+v, want %+v", cell, i, ok, slot, e, want[cell])
			}
		}
		if _, _, ok := x.find(storeCell(4001)); ok {
			t.Error("a cell is found that is not there")
		}
	}
	check(cells)
	if n, same := x.sort(slices.Values(cells)); n != len(cells) || !same {
		t.Error("its own order is another one")
	}
	for range 3 {
		order := slices.Clone(cells)
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		known, rest := order[:len(order)-100], order[len(order)-100:]
		slices.Sort(rest)
		given := append([]string{storeCell(4002), known[0]}, known...) // one unknown, one twice
		if n, same := x.sort(slices.Values(given)); n != len(known) || same {
			t.Error("another order is the same")
		}
		check(order)
		if _, same := x.sort(slices.Values(given)); !same {
			t.Error("the same order is another one")
		}
	}
}

// status returns how a cell ended, false where it is not durable, or not computed
// for the tables that are needed.
func (s *Store) status(cell string) (experiment.Status, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status, _, there := s.index.newest(cell)
	return status, there
}
