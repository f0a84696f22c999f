package results

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/internal/testing/needs"
)

// fewTables are tables with few columns, for tests that write often.
func fewTables() experiment.Tables {
	return experiment.Tables{
		Labels:   []experiment.Column{{Name: "dataset", Type: experiment.Text}},
		Measures: []experiment.Column{{Name: "score", Type: experiment.Float}},
		Further: []experiment.Table{{Name: "knots", Columns: []experiment.Column{
			{Name: "cell", Type: experiment.Text}, {Name: "values", Type: experiment.FloatList},
		}}},
	}
}

func openFew(t testing.TB, dir string, d disk.FS) *Store {
	t.Helper()
	s, err := open(t.Context(), dir, StoreOptions{Tables: fewTables(), Run: storeRun}, d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// batchEnds returns the offsets of the ends of the schema and of each batch of
// a stream, by the library's own reader.
func batchEnds(t testing.TB, stream string) (schema int64, ends []int64) {
	t.Helper()
	in := &countingReader{r: strings.NewReader(stream)}
	reader, err := ipc.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	schema = in.n
	for reader.Next() {
		ends = append(ends, in.n)
	}
	return schema, ends
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// A crash may cut each stream anywhere. The cells that are left are those of
// the batches that are whole in all tables, and going on from there gives the
// files of an undisturbed run.
func TestTornStreams(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	step := 105 // besides all cuts beside the end of a batch
	if needs.Long() {
		step = 7
	}
	tables := fewTables()
	const flushes, each = 3, 2
	var outcomes []*experiment.Outcome
	for i := range flushes * each {
		outcomes = append(outcomes, storeOutcome(tables, i, 0))
	}
	dir := t.TempDir()
	s := openFew(t, dir, disk.OS{})
	for part := range slices.Chunk(outcomes, each) {
		appendAll(t, s, part...)
		flushStore(t, s)
	}
	closeStore(t, s)
	whole := dirFiles(t, dir)
	for name, text := range whole {
		schema, ends := batchEnds(t, text)
		if len(ends) != flushes {
			t.Fatalf("%s has %d batches", name, len(ends))
		}
		for cut := range len(text) {
			near := func(end int64) bool { return end-9 <= int64(cut) && int64(cut) <= end+9 }
			if cut%step != 0 && !near(schema) && !slices.ContainsFunc(ends, near) {
				continue
			}
			batches := 0
			for batches < flushes && ends[batches] <= int64(cut) {
				batches++
			}
			torn := t.TempDir()
			writeDir(t, torn, whole)
			writeDir(t, torn, map[string]string{name: text[:cut]})
			s := openFew(t, torn, disk.OS{})
			if s.Len() != batches*each {
				t.Fatalf("%s cut at %d: %d cells, want %d", name, cut, s.Len(), batches*each)
			}
			for i, o := range outcomes {
				if _, ok := s.status(o.Cell); ok != (i < batches*each) {
					t.Fatalf("%s cut at %d: cell %d done is %t", name, cut, i, ok)
				}
			}
			// A crash between the tables leaves a batch of knots without cells,
			// which is nothing to tell.
			tell := int64(cut) != schema && !slices.Contains(ends, int64(cut)) || name == "knots.0001.arrows" && batches < flushes
			if told := len(s.Omitted()) > 0; told != tell {
				t.Fatalf("%s cut at %d: omitted %q", name, cut, s.Omitted())
			}
			if cut%(2*step) == 0 {
				appendAll(t, s, outcomes[batches*each:]...)
				compactStore(t, s, len(outcomes))
				checkFiles(t, torn, tables, outcomes)
			}
			closeStore(t, s)
		}
	}
}

// Bytes that were never written but are part of the file read as zero after a
// power failure. ZSTD's checksums tell.
func TestZeroedTail(t *testing.T) {
	needs.Patience(t, "1 s")
	t.Parallel()
	step := int64(15)
	if needs.Long() {
		step = 3
	}
	tables := fewTables()
	dir := t.TempDir()
	s := openFew(t, dir, disk.OS{})
	for i := range 3 {
		appendAll(t, s, storeOutcome(tables, i, 0))
		flushStore(t, s)
	}
	closeStore(t, s)
	whole := dirFiles(t, dir)
	text := whole["cells.0001.arrows"]
	_, ends := batchEnds(t, text)
	for cut := ends[1]; cut < ends[2]; cut += step {
		zeroed := t.TempDir()
		writeDir(t, zeroed, whole)
		writeDir(t, zeroed, map[string]string{"cells.0001.arrows": text[:cut] + strings.Repeat("\x00", len(text)-int(cut))})
		s := openFew(t, zeroed, disk.OS{})
		for i := range 3 {
			_, ok := s.status(storeCell(i))
			// Where the bytes are zero anyhow nothing is lost.
			if want := i < 2 || strings.Trim(text[cut:ends[2]], "\x00") == ""; ok != want {
				t.Fatalf("zero from byte %d: cell %d done is %t", cut, i, ok)
			}
		}
		closeStore(t, s)
	}
}

// The last outcome of a cell counts with its own rows, also when a crash
// separates those of the further tables from it.
func TestRepeatedCells(t *testing.T) {
	t.Parallel()
	tables := fewTables()
	version := func(v, knots int) *experiment.Outcome {
		o := storeOutcome(tables, 7, v)
		o.Status, o.Error = experiment.OK, ""
		o.Measures = randomRows(rand.New(rand.NewPCG(1, uint64(v))), tables.Measures, 1)
		o.Further = map[string]experiment.Batch{
			"knots": randomRows(rand.New(rand.NewPCG(2, uint64(v))), tables.Further[0].Columns[1:], knots),
		}
		return o
	}
	first, second, third := version(0, 3), version(1, 1), version(2, 2)
	other := storeOutcome(tables, 0, 0)
	dir := t.TempDir()
	s := openFew(t, dir, disk.OS{})
	appendAll(t, s, version(3, 4), first) // the second of one flush replaces the first
	flushStore(t, s)
	appendAll(t, s, second, other)
	flushStore(t, s)
	closeStore(t, s)
	files := dirFiles(t, dir)

	cut := maps.Clone(files) // the second flush wrote the knots only
	_, ends := batchEnds(t, files["cells.0001.arrows"])
	cut["cells.0001.arrows"] = cut["cells.0001.arrows"][:ends[0]]
	for _, final := range []bool{false, true} {
		for _, later := range []bool{false, true} {
			for want, start := range map[*experiment.Outcome]map[string]string{second: files, first: cut} {
				dir := t.TempDir()
				writeDir(t, dir, start)
				s := openFew(t, dir, disk.OS{})
				if final {
					compactStore(t, s, 8)
				}
				if later {
					appendAll(t, s, third)
					want = third
				}
				compactStore(t, s, 8)
				closeStore(t, s)
				all := []*experiment.Outcome{other, want}
				if _, ok := start["cells.0001.arrows"]; ok && len(start["cells.0001.arrows"]) == int(ends[0]) {
					all = all[1:]
				}
				checkFiles(t, dir, tables, all)
			}
		}
	}
}

// A compaction can die between any two of its steps.
func TestTornCompaction(t *testing.T) {
	t.Parallel()
	tables := fewTables()
	outcomes := make([]*experiment.Outcome, 12)
	dir := t.TempDir()
	s := openFew(t, dir, disk.OS{})
	for i := range outcomes {
		outcomes[i] = storeOutcome(tables, i, 1)
		appendAll(t, s, storeOutcome(tables, i, 0))
	}
	compactStore(t, s, 12)
	appendAll(t, s, outcomes[:8]...)
	closeStore(t, s) // segment 1
	s = openFew(t, dir, disk.OS{})
	for i := range 4 {
		appendAll(t, s, storeOutcome(tables, i, 2))
	}
	appendAll(t, s, outcomes[8:]...)
	flushStore(t, s)
	appendAll(t, s, outcomes[:4]...)
	closeStore(t, s) // segment 2
	old := dirFiles(t, dir)
	s = openFew(t, dir, disk.OS{})
	compactStore(t, s, 12)
	closeStore(t, s)
	done := dirFiles(t, dir)
	checkFiles(t, dir, tables, outcomes)

	state := maps.Clone(old)
	steps := []struct {
		what string
		do   func()
	}{
		{"nothing", func() {}},
		{"temporary files", func() {
			state[".knots.arrow.tmp"], state[".cells.arrow.tmp"] = done["knots.arrow"], done["cells.arrow"][:100]
			state[".cells.run0001.tmp"] = "x"
		}},
		{"knots renamed", func() { state["knots.arrow"] = done["knots.arrow"]; delete(state, ".knots.arrow.tmp") }},
		{"cells renamed", func() { state["cells.arrow"] = done["cells.arrow"]; delete(state, ".cells.arrow.tmp") }},
		{"cells of segment 1 deleted", func() { delete(state, "cells.0001.arrows") }},
		{"cells of segment 2 deleted", func() { delete(state, "cells.0002.arrows") }},
		{"knots of segment 1 deleted", func() { delete(state, "knots.0001.arrows") }},
		{"knots of segment 2 deleted", func() { delete(state, "knots.0002.arrows") }},
	}
	for _, step := range steps {
		step.do()
		dir := t.TempDir()
		writeDir(t, dir, state)
		s := openFew(t, dir, disk.OS{})
		if s.Len() != 12 || len(s.Omitted()) != 0 {
			t.Errorf("%s: %d cells, omitted %q", step.what, s.Len(), s.Omitted())
		}
		compactStore(t, s, 12)
		closeStore(t, s)
		if have := dirFiles(t, dir); !maps.Equal(have, done) {
			t.Errorf("%s: files %v differ from those of an undisturbed compaction", step.what, slices.Sorted(maps.Keys(have)))
		}
	}
}

// fullDisk has room for some more bytes.
type fullDisk struct {
	disk.OS
	room *int
}

var errFull = errors.New("no space left on device")

func (d fullDisk) Create(path string) (disk.File, error) {
	file, err := d.OS.Create(path)
	return &fullFile{file, d.room}, err
}

type fullFile struct {
	disk.File
	room *int
}

func (f *fullFile) Write(p []byte) (int, error) {
	if len(p) <= *f.room {
		*f.room -= len(p)
		return f.File.Write(p)
	}
	n, err := f.File.Write(p[:*f.room])
	*f.room = 0
	return n, errors.Join(err, errFull)
}

func (f *fullFile) Sync() error {
	if *f.room == 0 {
		return errFull
	}
	return f.File.Sync()
}

// Wherever the disk fills up, what was flushed stays, the error names the
// file, and the store goes on when there is room again.
func TestFullDisk(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	tables := fewTables()
	const n = 6
	outcomes := make([]*experiment.Outcome, n)
	for i := range outcomes {
		outcomes[i] = storeOutcome(tables, i, 0)
	}
	step := 2503
	if needs.Long() {
		step = 1511
	}
	failures := 0
	for bytes, last := 0, false; !last; bytes += step {
		dir := t.TempDir()
		room := bytes
		s := openFew(t, dir, fullDisk{room: &room})
		s.limits.bytes = 300 // so that sorting needs the disk too
		durable := 0
		failed := func(err error) bool {
			if err == nil {
				return false
			}
			failures++
			if !errors.Is(err, errFull) || !strings.Contains(err.Error(), dir) {
				t.Fatalf("room for %d bytes: %v", bytes, err)
			}
			return true
		}
		work := func() bool {
			for s.Len() < n {
				appendAll(t, s, outcomes[s.Len():min(s.Len()+2, n)]...)
				if failed(s.Flush()) {
					return false
				}
				durable = s.Len()
				if durable == 4 && failed(s.Compact(t.Context(), storeOrder(n))) {
					return false
				}
			}
			return !failed(s.Compact(t.Context(), storeOrder(n)))
		}
		last = work()
		if !last {
			copied := t.TempDir()
			writeDir(t, copied, dirFiles(t, dir))
			again := openFew(t, copied, disk.OS{})
			if again.Len() < durable {
				t.Fatalf("room for %d bytes: %d cells are left of %d", bytes, again.Len(), durable)
			}
			compactStore(t, again, n)
			closeStore(t, again)
			checkFiles(t, copied, tables, outcomes[:again.Len()])
			room = 1 << 30
			if !work() {
				t.Fatalf("room for %d bytes: it does not go on", bytes)
			}
		}
		closeStore(t, s)
		checkFiles(t, dir, tables, outcomes)
		if names := slices.Sorted(maps.Keys(dirFiles(t, dir))); !slices.Equal(names, []string{"cells.arrow", "knots.arrow"}) {
			t.Fatalf("room for %d bytes: the folder has %v", bytes, names)
		}
	}
	if failures < 15 {
		t.Errorf("the disk was full %d times only", failures)
	}
}

const killedDir = "AGEPATH_TEST_KILLED_DIR"

// TestKilledStore is the process that [TestKill] kills.
func TestKilledStore(t *testing.T) {
	dir := os.Getenv(killedDir)
	if dir == "" {
		t.Skip("run by TestKill in a process of its own")
	}
	s := openFew(t, dir, disk.OS{})
	for i := s.Len(); ; i++ {
		appendAll(t, s, storeOutcome(fewTables(), i, 0))
		switch {
		case i%50 == 7:
			compactStore(t, s, i+1)
		case i%3 == 0:
			flushStore(t, s)
		default:
			continue
		}
		fmt.Println("durable", s.Len())
	}
}

func TestKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(3, 3))
	cells := 0
	for range 4 {
		command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledStore$")
		command.Env = append(os.Environ(), killedDir+"="+dir)
		out, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		durable, lines := 0, rng.IntN(60)
		scanner := bufio.NewScanner(out)
		for scanner.Scan() {
			if n, _ := fmt.Sscanf(scanner.Text(), "durable %d", &durable); n == 1 {
				if lines--; lines < 0 {
					break
				}
			}
		}
		if err := command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for scanner.Scan() { // what it still said before it died
			fmt.Sscanf(scanner.Text(), "durable %d", &durable)
		}
		if err := command.Wait(); err == nil {
			t.Fatal("the process ended by itself")
		}
		s := openFew(t, dir, disk.OS{}) // the lock died with the process
		if s.Len() < durable || durable <= cells {
			t.Errorf("%d cells, though %d were durable, of which %d before", s.Len(), durable, cells)
		}
		cells = s.Len()
		closeStore(t, s)
	}
	outcomes := make([]*experiment.Outcome, cells)
	for i := range outcomes {
		outcomes[i] = storeOutcome(fewTables(), i, 0)
	}
	s := openFew(t, dir, disk.OS{})
	compactStore(t, s, cells)
	closeStore(t, s)
	checkFiles(t, dir, fewTables(), outcomes)
}
