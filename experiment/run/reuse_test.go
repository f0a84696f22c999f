package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/results"
)

// reuser runs grids of a kind that counts what is computed.
type reuser struct {
	*testing.T
	kind     *demanding
	known    *Folders
	queue    *queue.Queue
	reported atomic.Int32
}

func newReuser(t *testing.T) *reuser {
	return &reuser{
		T: t, kind: &demanding{cells: map[string]int{}},
		known: knownFolders(t),
	}
}

// knownFolders returns a memory of folders of its own, for a program without a commit.
func knownFolders(t *testing.T) *Folders {
	return &Folders{Path: filepath.Join(t.TempDir(), "folders.jsonl"), Build: "this"}
}

// run computes a grid and wants so many cells computed and taken from other runs.
func (r *reuser) run(out string, computed, reused int64, dirs []string, set ...string) *experiment.Plan {
	r.Helper()
	grid, p := plan(r, set...)
	c := &Coordinator{
		Grid: grid, Plan: p, Kind: r.kind, Out: out, Workers: 2, Queue: r.queue, Version: "devel",
		Reuse: Reuse{Dirs: folders(dirs...), Known: r.known},
		Report: func(err error) {
			r.reported.Add(1)
			r.Log(err)
		},
	}
	if r.queue != nil {
		c.Cache = r.TempDir()
	}
	s, err := c.Run(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	if took := r.kind.took(); s.Computed != computed || s.Reused != reused || int64(len(took)) != computed {
		r.Errorf("%v: %d cells are computed by its word, %d in fact, %d taken from other runs; want %d and %d", set, s.Computed, len(took), s.Reused, computed, reused)
	}
	if s.Counts[experiment.OK] != int(p.Count()) {
		r.Errorf("%v: the folder has %v of %d cells", set, s.Counts, p.Count())
	}
	return p
}

// rows returns the rows of a table by cell without the columns of the given names.
func (r *reuser) rows(dir, table string, without ...string) map[string][]any {
	r.Helper()
	frame, err := results.ReadTable(filepath.Join(dir, table+".arrow"))
	if err != nil {
		r.Fatal(err)
	}
	rows, at := map[string][]any{}, frame.Index("cell")
	for i := range frame.Rows() {
		cell := frame.At(at, i).(string)
		for j, column := range frame.Columns {
			if !slices.Contains(without, column.Name) {
				rows[cell] = append(rows[cell], frame.At(j, i))
			}
		}
	}
	return rows
}

// wantSame wants the rows of cells that are in both folders to be equal.
func (r *reuser) wantSame(what, dir, other string, without ...string) {
	r.Helper()
	for _, table := range []string{"cells", "knots"} {
		have, want := r.rows(dir, table, without...), r.rows(other, table, without...)
		shared := 0
		for cell, row := range have {
			if want[cell] == nil {
				continue
			}
			if shared++; !reflect.DeepEqual(row, want[cell]) {
				r.Errorf("%s: %s: the rows of cell %s are\n%v, want\n%v", what, table, cell, row, want[cell])
			}
		}
		if shared == 0 {
			r.Errorf("%s: %s share no cell", what, table)
		}
	}
}

// column returns the values of a text column with how often they occur.
func (r *reuser) column(dir, name string) map[any]int {
	r.Helper()
	frame, err := results.ReadTable(filepath.Join(dir, results.CellsFile), name)
	if err != nil {
		r.Fatal(err)
	}
	counts := map[any]int{}
	for i := range frame.Rows() {
		counts[frame.At(0, i)]++
	}
	return counts
}

// TestReuse takes cells from folders, named and remembered: those that the grid keeps the
// tables of, with this plan's labels and the run that computed them.
func TestReuse(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	r := newReuser(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	first := r.run(in("first"), 10, 0, nil)
	r.run(in("first"), 5, 0, nil, "repeats=3")
	r.run(in("remembered"), 0, 15, nil, "repeats=3")
	r.wantSame("from a remembered folder", in("remembered"), in("first"))
	if _, err := os.Stat(filepath.Join(in("remembered"), serverDir)); err == nil {
		t.Error("a server was started to compute nothing")
	}

	kept := r.known
	r.known = nil
	other := r.run(in("reused"), 5, 15, []string{in("first")}, "repeats=4", "name=other", "data=[{name: mine, path: "+exported(t)+", task: regression}]")
	r.wantSame("from a folder", in("reused"), in("first"), "dataset")
	if runs := r.column(in("reused"), "run"); runs[first.Run] != 10 || runs[other.Run] != 5 || len(runs) != 3 {
		t.Errorf("the rows say %v, want 10 of %s and 5 of %s", runs, first.Run, other.Run)
	}
	r.run(in("fewer"), 0, 5, []string{in("first")}, "repeats=1")
	if n := r.reported.Load(); n > 0 {
		t.Errorf("%d reports, want none: a folder may have cells that a grid has not", n)
	}
	if names := r.column(in("reused"), "dataset"); names["mine"] != 20 {
		t.Errorf("the rows say the data sets %v", names)
	}

	r.known = kept
	r.run(in("coefficients"), 15, 0, []string{in("first")}, "repeats=3", "keep.coefficients=true")
	r.run(in("coefficients again"), 0, 15, nil, "repeats=3", "keep.coefficients=true")
	r.run(in("knots"), 0, 15, []string{in("coefficients")}, "repeats=3")
	r.run(in("other seed"), 10, 0, nil, "seed=5", "keep.coefficients=true")
	r.run(in("other knots"), 0, 10, nil, "seed=5")
	for _, name := range []string{"knots", "other knots"} {
		if _, err := os.Stat(filepath.Join(in(name), "coefficients.arrow")); err == nil {
			t.Errorf("%s: coefficients were taken that the grid does not keep", name)
		}
	}
	r.wantSame("with fewer tables", in("knots"), in("first"), "run", "wall_seconds", "cpu_seconds", "peak_bytes", "worker", "started_at", "finished_at")
}

// exported writes the data set of the tests as a file of another name.
func exported(t *testing.T) string {
	t.Helper()
	_, p := plan(t)
	set, err := p.Dataset(t.Context(), p.Data[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for j := range set.D {
		fmt.Fprintf(&text, "x%d,", j)
	}
	text.WriteString("y\n")
	for i := range set.N {
		for _, x := range set.X[i*set.D : (i+1)*set.D] {
			fmt.Fprintf(&text, "%v,", x)
		}
		fmt.Fprintf(&text, "%v\n", set.Y[i])
	}
	path := filepath.Join(t.TempDir(), "mine.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReuseNoFailures computes failed cells again, whoever has them.
func TestReuseNoFailures(t *testing.T) {
	needs.Patience(t, "1 s")
	t.Parallel()
	r := newReuser(t)
	_, p := plan(t, lowLimits...)
	r.kind = newDemanding(p)
	grid, p := plan(t, lowLimits...)
	a, b := t.TempDir(), t.TempDir()
	for i, out := range []string{a, b} {
		c := &Coordinator{Grid: grid, Plan: p, Kind: r.kind, Out: out, Workers: 2, Version: "devel", Reuse: Reuse{Known: r.known}}
		if i > 0 {
			c.Reuse.Dirs = folders(a)
		}
		s, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if want := int64(26 * i); s.Reused != want || s.Computed != 75-want || s.Failed() != 49 {
			t.Errorf("%d cells are computed, %d taken, %d failed", s.Computed, s.Reused, s.Failed())
		}
	}
}

// TestShare has a server's run take what other runs there have computed.
func TestShare(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	r := newReuser(t)
	r.known, r.queue = nil, startQueue(t)
	q := r.queue
	dir := t.TempDir()
	submit := func(queued, shared int, set ...string) *experiment.Plan {
		t.Helper()
		grid, p := plan(t, set...)
		for i := range 2 { // again: nothing is done twice
			s, err := Submit(t.Context(), q, grid, p, Reuse{})
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 && (s.Published != queued || s.Shared != shared) || i > 0 && (s.Published != 0 || s.Refused != queued || s.Shared != 0) {
				t.Errorf("%v: %d cells queued, %d refused, %d taken from other runs; want %d and %d", set, s.Published, s.Refused, s.Shared, queued, shared)
			}
		}
		return p
	}
	work := func(want int) {
		t.Helper()
		if n := drain(t, q, r.kind); n != want {
			t.Errorf("%d cells were computed, want %d", n, want)
		}
	}
	collect := func(p *experiment.Plan, name string) string {
		t.Helper()
		out := filepath.Join(dir, name)
		c, err := Collect(t.Context(), q, p.Run, out, "devel", results.ZSTD)
		if err != nil || c.Counts[experiment.OK] != int(p.Count()) || c.Quarantined != 0 {
			t.Errorf("collecting %s: %+v, %v", p.Run, c, err)
		}
		return out
	}
	first := submit(10, 0)
	work(10)
	grown := submit(5, 10, "repeats=3")
	work(5)
	a, b := collect(first, "first"), collect(grown, "grown")
	r.wantSame("of another run", b, a)
	if runs := r.column(b, "run"); runs[first.Run] != 10 || runs[grown.Run] != 5 {
		t.Errorf("the rows say the runs %v", runs)
	}
	// All of it is there, some in the run that took it.
	all := submit(0, 15, "repeats=3", "name=other")
	if runs := r.column(collect(all, "all"), "run"); runs[first.Run] != 10 || runs[grown.Run] != 5 {
		t.Errorf("the rows say the runs %v", runs)
	}
	submit(15, 0, "repeats=3", "keep.coefficients=true")
	work(15)
	// A coordinator that follows its run takes them too, and other runs may be purged.
	r.run(filepath.Join(dir, "followed"), 5, 15, nil, "repeats=4")
	for _, run := range []string{first.Run, grown.Run} {
		if err := Purge(t.Context(), q, run, true); err != nil {
			t.Fatal(err)
		}
	}
	r.wantSame("after the purge", collect(all, "again"), b)
	// Folders serve a server, too.
	r.known = knownFolders(t)
	grid, p := plan(t, "repeats=5", "seed=3")
	r.queue = nil
	r.run(filepath.Join(dir, "local"), 25, 0, nil, "repeats=5", "seed=3")
	s, err := Submit(t.Context(), q, grid, p, Reuse{Known: r.known})
	if err != nil || s.Shared != 25 || s.Published != 0 {
		t.Errorf("from a remembered folder: %+v, %v", s, err)
	}
	r.wantSame("over the server", collect(p, "served"), filepath.Join(dir, "local"))
	if _, err := Submit(t.Context(), q, grid, p, Reuse{Dirs: folders(filepath.Join(dir, "local"))}); err != nil {
		t.Error(err)
	}
	grid, p = plan(t, "repeats=6", "seed=3")
	if s, err = Submit(t.Context(), q, grid, p, Reuse{Dirs: folders(filepath.Join(dir, "nowhere"))}); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("a folder that is not there: %+v, %v", s, err)
	}
}

// TestReuseRetry computes incomplete cells again where that is asked for, though a
// folder has them.
func TestReuseRetry(t *testing.T) {
	needs.Patience(t, "1 s")
	t.Parallel()
	r := newReuser(t)
	grid, p := plan(t)
	kind := halfway{r.kind, slices.Collect(p.IDs())[:3]}
	for _, want := range []struct {
		computed, reused int64
		retry            []experiment.Status
	}{{10, 0, nil}, {0, 10, nil}, {3, 7, []experiment.Status{experiment.Incomplete}}} {
		c := &Coordinator{
			Grid: grid, Plan: p, Kind: kind, Out: t.TempDir(), Workers: 2, Version: "devel",
			Reuse: Reuse{Known: r.known}, Retry: want.retry,
		}
		s, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s.Computed != want.computed || s.Reused != want.reused || s.Counts[experiment.Incomplete] != 3 {
			t.Errorf("with retry %v: %+v, want %d cells computed and %d taken", want.retry, s, want.computed, want.reused)
		}
	}
}

// halfway is a kind some of whose cells stop half way.
type halfway struct {
	*demanding
	cells []string
}

func (k halfway) Compute(ctx context.Context, task *experiment.Task, data experiment.Data) (experiment.Batch, map[string]experiment.Batch, error) {
	measures, further, err := k.demanding.Compute(ctx, task, data)
	if err == nil && slices.Contains(k.cells, task.Cell) {
		err = &experiment.StatusError{Status: experiment.Incomplete, Err: errors.New("half way")}
	}
	return measures, further, err
}

// drain computes what a queue has and returns how many cells that were.
func drain(t *testing.T, q *queue.Queue, kind *demanding) int {
	t.Helper()
	w := &Worker{Queue: q, Kinds: []experiment.Kind{kind}, Slots: 2, Drain: true, Idle: 10 * time.Millisecond, Version: "devel"}
	if err := w.Run(t.Context()); err != nil && !errors.As(err, new(*queue.EmptyError)) { // of paused runs
		t.Fatal(err)
	}
	return len(kind.took())
}

// TestShareQueued takes cells that were queued when another run computed them out of the
// queue.
func TestShareQueued(t *testing.T) {
	t.Parallel()
	q, kind := startQueue(t), &demanding{cells: map[string]int{}}
	submit := func(name string, want Submitted) *experiment.Plan {
		t.Helper()
		grid, p := plan(t, "name="+name)
		s, err := Submit(t.Context(), q, grid, p, Reuse{})
		if err != nil || s.Published != want.Published || s.Shared != want.Shared || s.Refused != 0 {
			t.Errorf("%s: %+v, %v, want %+v", name, s, err, want)
		}
		return p
	}
	waiting := submit("waiting", Submitted{Published: 10})
	if _, err := q.Pause(t.Context(), waiting.Run); err != nil {
		t.Fatal(err)
	}
	submit("first", Submitted{Published: 10})
	if n := drain(t, q, kind); n != 10 {
		t.Errorf("%d cells were computed, want those of the run that is not paused", n)
	}
	submit("waiting", Submitted{Shared: 10})
	if _, err := q.Resume(t.Context(), waiting.Run); err != nil {
		t.Fatal(err)
	}
	if n := drain(t, q, kind); n != 0 {
		t.Errorf("%d cells were computed that another run had", n)
	}
	if counts, err := q.Counts(t.Context(), waiting.Run); err != nil || counts.Done != 10 || counts.Queued+counts.InFlight > 0 {
		t.Errorf("the run has %+v, %v", counts, err)
	}
}

// TestShareNoFailures queues cells that failed in other runs, and takes results where a
// cell of the run itself had failed.
func TestShareNoFailures(t *testing.T) {
	needs.Patience(t, "1 s")
	t.Parallel()
	_, p := plan(t, lowLimits...)
	q, kind := startQueue(t), newDemanding(p)
	kind.broken = slices.Collect(p.IDs())[49:52]
	submit := func(queued, shared int, set ...string) *experiment.Plan {
		t.Helper()
		grid, p := plan(t, set...)
		s, err := Submit(t.Context(), q, grid, p, Reuse{})
		if err != nil || s.Published != queued || s.Shared != shared {
			t.Errorf("%v: %+v, %v; want %d cells queued, %d taken from other runs", set, s, err, queued, shared)
		}
		if n := drain(t, q, kind); n != queued {
			t.Errorf("%v: %d cells were computed, want %d", set, n, queued)
		}
		return p
	}
	// Failed cells have all tables that a grid keeps if it keeps none.
	short := append([]string{"keep.knots=false"}, lowLimits...)
	high := []string{"keep.knots=false", seventyFive, "limits={timeout: 1h, memory: 2GiB}"}
	low := submit(75, 0, short...)
	submit(52, 23, append([]string{"name=other"}, short...)...)
	submit(52, 23, append([]string{"name=high"}, high...)...)
	submit(0, 49, high...)
	c, err := Collect(t.Context(), q, low.Run, t.TempDir(), "devel", results.ZSTD)
	if err != nil || c.Counts[experiment.OK] != 72 || c.Counts[experiment.Diverged] != 3 || c.Quarantined != 0 {
		t.Errorf("the first run has %+v, %v", c, err)
	}
}

// TestReuseOthers leaves out remembered folders that others can write or that are damaged,
// with a report, and takes those that are named.
func TestReuseOthers(t *testing.T) {
	needs.Patience(t, "1 s")
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the modes of folders are Unix's")
	}
	r := newReuser(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	r.run(in("shared"), 10, 0, nil)
	if err := os.Chmod(in("shared"), 0o777); err != nil {
		t.Fatal(err)
	}
	grid, p := plan(t)
	var reports []string
	run := func(out string, want int64, dirs ...string) {
		t.Helper()
		reports = nil
		c := &Coordinator{
			Grid: grid, Plan: p, Kind: r.kind, Out: in(out), Workers: 2, Version: "devel",
			Reuse:  Reuse{Dirs: folders(dirs...), Known: &Folders{Path: r.known.Path, Build: "this"}},
			Report: func(err error) { reports = append(reports, err.Error()) },
		}
		if s, err := c.Run(t.Context()); err != nil || s.Reused != want {
			t.Fatalf("%s: %+v, %v; want %d cells taken", out, s, err, want)
		}
	}
	run("own", 0)
	if len(reports) != 1 || !strings.Contains(reports[0], "others can write it") {
		t.Errorf("the reports are %q", reports)
	}
	r.known = knownFolders(t)
	run("named", 10, in("shared"))
	if err := os.WriteFile(filepath.Join(in("named"), results.CellsFile), []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	run("next to a damaged one", 0)
	if len(reports) != 1 || !strings.Contains(reports[0], in("named")) {
		t.Errorf("the reports are %q", reports)
	}
}

// folders names folders as they are called.
func folders(dirs ...string) (list []ReusedFolder) {
	for _, dir := range dirs {
		list = append(list, ReusedFolder{Dir: dir, Name: dir})
	}
	return list
}
