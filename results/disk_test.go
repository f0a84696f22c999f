package results

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/internal/testing/needs"
)

const diskDir = "/runs/out"

// scenario is a run on a disk.
type scenario struct {
	cells int
	steps func() []step
}

// scenarios are a run of a grid that stays, and one of grids that cells leave and come
// back to.
var scenarios = map[string]scenario{
	"one grid":      {50, diskSteps},
	"changed grids": {12, changedSteps},
	"shrunk grid":   {3, shrunkSteps},
}

// diskRun is a run on a disk: with compactions in the middle, a second process, cells
// computed again, and a compaction and a manifest at the end. It knows what the disk
// has to keep.
type diskRun struct {
	scenario
	disk   *faultyDisk
	store  *Store
	closed bool         // the store is
	given  map[int]bool // cells that the store was given
	// appended has the versions of a cell that stores were given, one after the
	// other. From durable[cell] on any of them may be there, and one must be.
	appended map[int][]int
	durable  map[int]int
}

func newDiskRun(d *faultyDisk, s scenario) *diskRun {
	return &diskRun{scenario: s, disk: d, appended: map[int][]int{}, durable: map[int]int{}}
}

// on returns the run on the disk that a crash has left.
func (r *diskRun) on(d *faultyDisk) *diskRun {
	next := newDiskRun(d, r.scenario)
	next.durable = maps.Clone(r.durable)
	for cell, versions := range r.appended {
		next.appended[cell] = slices.Clone(versions)
	}
	return next
}

// diskTables are those of [fewTables] and one whose rows are replaced by none when
// cells are computed again, so that its file goes.
func diskTables() experiment.Tables {
	tables := fewTables()
	tables.Further = append(tables.Further, experiment.Table{Name: "weights", Columns: tables.Further[0].Columns})
	return tables
}

// finalVersion is the version of a cell that the run ends with.
func finalVersion(cell int) int {
	if cell%10 == 3 {
		return 1
	}
	return 0
}

// step is a part of a run. But for close it can be tried again after an error.
type step func(r *diskRun) error

// diskSteps are the steps of a run.
func diskSteps() []step {
	steps := []step{(*diskRun).open}
	add := func(from, to, each, version int) {
		for at := from; at < to; at += each {
			cells := []int{}
			for cell := at; cell < min(at+each, to); cell++ {
				if version == 0 || finalVersion(cell) == version {
					cells = append(cells, cell)
				}
			}
			steps = append(steps, func(r *diskRun) error { return r.add(version, cells) })
		}
	}
	add(0, 20, 5, 0)
	steps = append(steps, (*diskRun).compact)
	add(20, 35, 5, 0)
	add(0, 30, 15, 1)
	steps = append(steps, (*diskRun).close, (*diskRun).open)
	add(35, 50, 5, 0)
	add(30, 50, 20, 1)
	return append(steps, (*diskRun).compact, (*diskRun).manifest, (*diskRun).close)
}

// changedSteps are the steps of a run whose grid changes.
func changedSteps() []step {
	add := func(version int, cells ...int) step {
		return func(r *diskRun) error { return r.add(version, cells) }
	}
	return []step{
		(*diskRun).open, add(0, 0, 1, 2, 3, 4), (*diskRun).compact,
		add(0, 5, 6), add(1, 3), grid(2, 6), // cells of the files and of streams leave
		(*diskRun).close, (*diskRun).open,
		add(0, 7, 8, 9), grid(0, 9), // some come back, others leave
		add(0, 10, 11), grid(11, 12),
		(*diskRun).close, (*diskRun).open,
		grid(0, 0), (*diskRun).compact, (*diskRun).manifest, (*diskRun).close,
	}
}

// shrunkSteps are the steps of a run whose grid loses cells for good. The lost ones are
// not of the scenario's: they may be in the files of former grids, and nowhere else.
func shrunkSteps() []step {
	return []step{
		(*diskRun).open,
		func(r *diskRun) error { return r.add(0, []int{0, 1, 2, 3, 4, 5, 6}) },
		grid(0, 7), (*diskRun).close, (*diskRun).open,
		(*diskRun).compact, (*diskRun).manifest, (*diskRun).prune, (*diskRun).close,
	}
}

func (r *diskRun) prune() error {
	_, err := r.store.Prune()
	return err
}

func (r *diskRun) open() error {
	r.closed = false
	s, err := open(context.Background(), diskDir, StoreOptions{Tables: diskTables(), Run: storeRun, Kept: []string{"knots"}}, r.disk)
	if err != nil {
		return disk.Advise(err)
	}
	s.limits = sortLimits{bytes: 8000, fanIn: 2, rows: 16} // sorting needs the disk too
	r.store, r.given = s, map[int]bool{}
	for cell := range r.cells {
		_, there := s.status(storeCell(cell))
		at, known := r.durable[cell]
		switch {
		case there && len(r.appended[cell]) == 0:
			return fmt.Errorf("cell %d is there, which nobody stored", cell)
		case there:
			r.durable[cell] = at // what a store has when it opens is durable
		case known:
			return fmt.Errorf("cell %d is lost", cell)
		default:
			delete(r.appended, cell)
		}
	}
	return nil
}

func (r *diskRun) add(version int, cells []int) error {
	for _, cell := range cells {
		r.given[cell] = true
		if versions := r.appended[cell]; len(versions) == 0 || versions[len(versions)-1] != version {
			r.appended[cell] = append(versions, version)
		}
		if err := r.store.Append(diskOutcome(cell, version)); err != nil {
			return err
		}
	}
	return r.settled(r.store.Flush())
}

func (r *diskRun) compact() error { return grid(0, r.cells)(r) }

// grid gathers into the files of a grid of some cells.
func grid(from, to int) step {
	return func(r *diskRun) error {
		order := func(yield func(string) bool) {
			for cell := from; cell < to && yield(storeCell(cell)); cell++ {
			}
		}
		return r.settled(r.store.Compact(context.Background(), order))
	}
}

// settled notes that what was appended is durable.
func (r *diskRun) settled(err error) error {
	if err == nil {
		for cell := range r.given {
			r.durable[cell] = len(r.appended[cell]) - 1
		}
	}
	return err
}

func (r *diskRun) manifest() error {
	return writeManifest(r.disk, diskDir, &Manifest{Name: "disk", Run: storeRun, Cells: int64(r.cells), Counts: r.store.Counts()})
}

func (r *diskRun) close() error {
	r.closed = true // whatever Close says
	return r.store.Close()
}

// play does steps up to the first error.
func (r *diskRun) play(steps []step) error {
	for _, s := range steps {
		if err := s(r); err != nil {
			return err
		}
	}
	return nil
}

// finish does what a run does in a folder that another left: it computes what is
// not there, and cells again that are computed again.
func (r *diskRun) finish() error {
	if err := r.open(); err != nil {
		return err
	}
	for version := range 2 {
		var cells []int
		for cell := range r.cells {
			_, there := r.store.status(storeCell(cell))
			if version == 0 && !there || version == 1 && finalVersion(cell) == 1 {
				cells = append(cells, cell)
			}
		}
		if err := r.add(version, cells); err != nil {
			return err
		}
	}
	return r.play([]step{(*diskRun).compact, (*diskRun).manifest, (*diskRun).prune, (*diskRun).close})
}

// rows returns the rows of a table's file.
func (r *diskRun) rows(table string) ([][]any, error) {
	reader, err := openTable(r.disk, filepath.Join(diskDir, finalName(table)), nil)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	var rows [][]any
	for {
		frame, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range frame.Rows() {
			row := make([]any, len(frame.Columns))
			for j := range row {
				row[j] = exact(frame.At(j, i))
			}
			rows = append(rows, row)
		}
	}
}

// compare compares the files with the versions of cells that may be there, all
// of them once.
func (r *diskRun) compare() error {
	have, err := r.rows("cells")
	if err != nil {
		return err
	}
	var there []*experiment.Outcome
	for cell := range r.cells {
		versions := r.appended[cell]
		if len(versions) == 0 {
			continue
		}
		if len(have) == len(there) {
			return fmt.Errorf("cell %d is not in the files", cell)
		}
		var match *experiment.Outcome
		for _, version := range versions[r.durable[cell]:] {
			o := diskOutcome(cell, version)
			if reflect.DeepEqual(have[len(there)], exactRows(expectedRows(diskTables(), []*experiment.Outcome{o})["cells"])[0]) {
				match = o
			}
		}
		if match == nil {
			return fmt.Errorf("row %d is not that of cell %d in one of the versions %v", len(there), cell, versions[r.durable[cell]:])
		}
		there = append(there, match)
	}
	if len(have) > len(there) {
		return fmt.Errorf("%d rows of %d cells", len(have), len(there))
	}
	rows := expectedRows(diskTables(), there)
	for _, table := range diskTables().Further {
		have, err := r.rows(table.Name)
		if errors.Is(err, fs.ErrNotExist) && table.Name == "weights" {
			err = nil
		}
		if err != nil {
			return err
		}
		if want := exactRows(rows[table.Name]); !reflect.DeepEqual(have, want) {
			return fmt.Errorf("the rows of %s are %v, want %v", table.Name, have, want)
		}
	}
	return nil
}

func exactRows(rows [][]any) [][]any {
	var all [][]any
	for _, row := range rows {
		values := make([]any, len(row))
		for j, value := range row {
			values[j] = exact(value)
		}
		all = append(all, values)
	}
	return all
}

// diskOutcome is the outcome of a cell, the same object each time.
var diskOutcome = func() func(cell, version int) *experiment.Outcome {
	var mu sync.Mutex
	known := map[[2]int]*experiment.Outcome{}
	return func(cell, version int) *experiment.Outcome {
		mu.Lock()
		defer mu.Unlock()
		key := [2]int{cell, version}
		if known[key] == nil {
			o := storeOutcome(diskTables(), cell, version)
			if version == finalVersion(cell) {
				delete(o.Further, "weights")
			}
			known[key] = o
		}
		return known[key]
	}
}()

// crashAt has a disk fail for good before its n-th operation that changes
// something, and returns the number of such operations so far.
func crashAt(d *faultyDisk, n int) *int {
	count := 0
	d.Fail = func(op diskOp) error {
		if op.Kind.Changes() {
			count++
		}
		if count > n {
			return errCrash
		}
		return nil
	}
	return &count
}

// undisturbedDisk returns the files of a run without a fault and its number of
// operations that change something.
func undisturbedDisk(t *testing.T, s scenario) (files map[string]string, operations int) {
	t.Helper()
	d := newFaultyDisk()
	count := crashAt(d, 1<<30)
	r := newDiskRun(d, s)
	if err := r.play(s.steps()); err != nil {
		t.Fatal(err)
	}
	files = runFiles(d)
	if names := slices.Sorted(maps.Keys(files)); !slices.Equal(names, []string{"cells.arrow", "knots.arrow", ManifestName}) {
		t.Fatalf("the folder has %v", names)
	}
	return files, *count
}

// runFiles returns the files of the folder of a run, but for the lock.
func runFiles(d *faultyDisk) map[string]string {
	files := d.Files(diskDir)
	delete(files, lockName)
	return files
}

// faultStep is the distance between two operations that fail: with AGEPATH_LONG=1 all of
// them do, which takes ten minutes.
func faultStep() int {
	switch {
	case testing.Short():
		return 499
	case needs.Long():
		return 1
	default:
		return 23
	}
}

// A power failure before any operation loses nothing durable, doubles nothing,
// and the run can be finished to the same bytes. Of what was not durable nothing
// survives, or all, or any part. Then the process that finishes the run meets a
// second failure.
func TestPowerFailures(t *testing.T) {
	t.Parallel()
	for name, s := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			powerFailures(t, s)
		})
	}
}

// lanes are how many crash points of a scenario are tried at a time.
const lanes = 4

func powerFailures(t *testing.T, s scenario) {
	want, operations := undisturbedDisk(t, s)
	var seen sync.Map // what crashes have left: many leave the same
	t.Logf("%d crash points, 14 outcomes of each", operations)
	t.Cleanup(func() {
		different := 0
		seen.Range(func(any, any) bool { different++; return true })
		t.Logf("%d different disks", different)
	})
	for lane := range lanes {
		t.Run(fmt.Sprintf("lane %d", lane), func(t *testing.T) {
			t.Parallel()
			for n := lane * faultStep(); n < operations && !t.Failed(); n += lanes * faultStep() {
				powerFailure(t, s, n, want, &seen)
			}
		})
	}
}

// powerFailure has the power fail before operation n.
func powerFailure(t *testing.T, s scenario, n int, want map[string]string, seen *sync.Map) {
	r := newDiskRun(newFaultyDisk(), s)
	crashAt(r.disk, n)
	if err := r.play(s.steps()); !errors.Is(err, errCrash) {
		t.Fatalf("crash point %d: the run ended with %v", n, err)
	}
	left := r.disk.Kill()
	check := func(name string, crashed *faultyDisk, second *rand.Rand, keep keepsLost) {
		if second == nil {
			if _, known := seen.LoadOrStore(r.state(crashed), true); known {
				return
			}
		}
		if err := r.survives(crashed, want, second, keep); err != nil {
			t.Errorf("crash before operation %d, %s: %v", n, name, err)
		}
	}
	check("nothing unsynced survives", left.Crash(keepNothing), nil, nil)
	check("everything survives", left.Crash(keepEverything), nil, nil)
	for lost := range 10 { // the order of what is not synced is not kept
		asked := -1
		check(fmt.Sprintf("all but number %d survives", lost), left.Crash(func() bool { asked++; return asked != lost }), nil, nil)
	}
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	share := rng.Float64()
	keep := func() bool { return rng.Float64() < share }
	crashed := left.Crash(keep)
	if n%2 == 0 { // one crash alone
		check("a random part survives", crashed, nil, nil)
	} else {
		check("a random part survives twice", crashed, rng, keep)
	}
	// Last, as it goes on with what is left.
	check("the process is killed", left, rand.New(rand.NewPCG(99, uint64(n))), keepNothing)
}

// Who reads streams while a run goes on finds each cell's rows in the further tables,
// as each batch reaches these first.
func TestCellsOfBatchComeLast(t *testing.T) {
	t.Parallel()
	d := newFaultyDisk()
	r := newDiskRun(d, scenarios["one grid"])
	if err := r.open(); err != nil {
		t.Fatal(err)
	}
	var synced []string
	d.Fail = func(op diskOp) error {
		if op.Kind == opSync {
			synced = append(synced, filepath.Base(op.Path))
		}
		return nil
	}
	for batch := range 3 {
		synced = nil
		if err := r.add(0, []int{batch}); err != nil {
			t.Fatal(err)
		}
		slices.Sort(synced[:len(synced)-1])
		if want := []string{"knots.0001.arrows", "weights.0001.arrows", "cells.0001.arrows"}; !slices.Equal(synced, want) {
			t.Errorf("batch %d is synced in the order %v, want %v", batch, synced, want)
		}
	}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
}

// state describes a disk and what it has to keep.
func (r *diskRun) state(d *faultyDisk) string {
	return fmt.Sprint(d.Files(diskDir), r.durable, r.appended)
}

// survives has the run finished on the disk that a crash has left. Unless second
// is nil another crash comes meanwhile.
func (r *diskRun) survives(d *faultyDisk, want map[string]string, second *rand.Rand, keep keepsLost) error {
	r = r.on(d)
	if second != nil {
		at := second.IntN(80)
		crashAt(d, at)
		switch err := r.finish(); {
		case errors.Is(err, errCrash):
			r = r.on(d.Crash(keep))
		case err != nil:
			return fmt.Errorf("before a second crash at operation %d: %w", at, err)
		default:
			d.Fail = nil
		}
	}
	if err := r.play([]step{(*diskRun).open, (*diskRun).compact, (*diskRun).compare, (*diskRun).close}); err != nil {
		return err
	}
	if err := r.finish(); err != nil {
		return fmt.Errorf("finishing the run: %w", err)
	}
	if have := runFiles(r.disk); !maps.Equal(have, want) {
		return fmt.Errorf("the finished run has other files: %v", slices.Sorted(maps.Keys(have)))
	}
	return nil
}

// An operation that fails gives an error that names the file and says what to
// do. What was durable is, the same store goes on when the fault is over, and its
// files are those of an undisturbed run.
func TestDiskFaults(t *testing.T) {
	t.Parallel()
	for name, s := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diskFaults(t, s)
		})
	}
}

func diskFaults(t *testing.T, s scenario) {
	want, _ := undisturbedDisk(t, s)
	full := func(op diskOp) bool {
		return slices.Contains([]opKind{opCreate, opWrite, opSync, opMkdir, opLock}, op.Kind)
	}
	broken := func(op diskOp) bool { return op.Kind != opRead }
	for _, fault := range []struct {
		name    string
		err     error
		advice  string
		lasting bool // until somebody looks after it
		hits    func(diskOp) bool
	}{
		{"full disk", syscall.ENOSPC, "make room on the disk", true, full},
		{"one error", syscall.EIO, "check the disk", false, broken},
		{"quota", syscall.EDQUOT, "make room on the disk", true, full},
		{"file size", syscall.EFBIG, "make room on the disk", true, full},
		{"broken disk", syscall.EIO, "check the disk", true, broken},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			failures := 0
			for n, hit := 0, true; hit; n += faultStep() {
				r := newDiskRun(newFaultyDisk(), s)
				count, healed := 0, false
				var paths []string // of operations that failed
				hit = false
				r.disk.Fail = func(op diskOp) error {
					if !fault.hits(op) || healed {
						return nil
					}
					count++
					if count-1 == n || fault.lasting && count > n {
						hit, paths = true, append(paths, op.Path)
						return fault.err
					}
					return nil
				}
				for i, steps := 0, s.steps(); i < len(steps); {
					err := steps[i](r)
					if err == nil {
						i++
						continue
					}
					failures++
					if !errors.Is(err, fault.err) || !slices.ContainsFunc(paths, func(path string) bool { return strings.Contains(err.Error(), path) }) || !strings.Contains(err.Error(), fault.advice) {
						t.Fatalf("operation %d fails: %v", n, err)
					}
					if healed {
						t.Fatalf("operation %d failed: the run does not go on: %v", n, err)
					}
					healed = true
					if err := r.survives(r.disk.Crash(keepNothing), want, nil, nil); err != nil {
						t.Fatalf("operation %d failed, then the power: %v", n, err)
					}
					if r.closed {
						i++
					}
				}
				if have := runFiles(r.disk); !maps.Equal(have, want) {
					t.Fatalf("operation %d failed: the finished run has other files: %v", n, slices.Sorted(maps.Keys(have)))
				}
			}
			t.Logf("%d failures", failures)
		})
	}
}
