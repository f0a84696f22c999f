// Package results stores the outcomes of a run as Arrow tables in a folder, so that a crash loses
// nothing durable, with a manifest, and reads them back. Package analysis evaluates the files,
// figure draws them, report writes them as text.
package results

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/internal/lists"
)

// Limits at which [Store.Append] flushes.
const (
	pendingCells = 8192
	pendingBytes = 20 << 20
)

// StoreOptions define the content of a store.
type StoreOptions struct {
	Tables experiment.Tables // at most 8 further ones
	Run    string            // of appended outcomes
	// Kept tables get a file even without rows; nil means all.
	Kept []string
	// Needed tables are required, with rows or without, for a computed cell to count as done.
	Needed []string
	// Compression applies to the files of [Store.Compact].
	Compression Compression
}

// Store writes the results of a grid to a folder and survives the death of its process at any
// moment.
//
// Outcomes are appended to Arrow streams (TABLE.NNNN.arrows). [Store.Compact] merges these and the
// earlier files into one sorted file per table (TABLE.arrow), with cells outside the grid in
// separate files (former.TABLE.arrow). A cell is durable once a [Store.Flush] after its
// [Store.Append] returned nil: after a crash it is present exactly once, with its rows in all
// tables. The last outcome of a cell counts, with its rows of all tables.
//
// After any error durable outcomes stay durable, and the others wait in memory for the next Flush.
// Methods may be called concurrently.
type Store struct {
	folder
	rows   *outcomeRows
	kept   []string
	limits sortLimits

	compression Compression // never ""

	mu        sync.Mutex
	index     *index
	finals    []string   // with a final file
	former    []string   // with a file of former grids
	moved     bool       // final files have another order, run or compression
	untrimmed bool       // cells.arrow or further tables may have cells set aside
	shadowed  bool       // former files have cells that are also elsewhere
	foreign   bool       // found files of another run
	segments  []*segment // complete
	replaced  bool       // s.gathered and others are replaced but not deleted yet
	gathered  []*segment
	active    *segmentWriter
	next      int
	pending   waiting
	omitted   []string
}

type folder struct {
	dir  string
	disk disk.FS
	lock io.Closer
}

func (f *folder) path(name string) string { return filepath.Join(f.dir, name) }

func (f *folder) rename(name string) error {
	return f.disk.Rename(disk.Temporary(f.path(name)), f.path(name))
}

// remove durably removes files that may be missing, in their order.
func (f *folder) remove(names ...string) error {
	for _, name := range names {
		if err := disk.RemoveIfThere(f.disk, f.path(name)); err != nil {
			return err
		}
	}
	return f.disk.SyncDir(f.dir)
}

type waiting struct {
	outcomes []*experiment.Outcome
	position map[string]int // in outcomes
	bytes    int
}

// put replaces an earlier outcome of the cell.
func (w *waiting) put(o *experiment.Outcome, bytes func(*experiment.Outcome) int) {
	w.bytes += bytes(o)
	if at, ok := w.position[o.Cell]; ok {
		w.bytes -= bytes(w.outcomes[at])
		w.outcomes[at] = o
		return
	}
	if w.position == nil {
		w.position = map[string]int{}
	}
	w.position[o.Cell] = len(w.outcomes)
	w.outcomes = append(w.outcomes, o)
}

func (w *waiting) full() bool { return len(w.outcomes) >= pendingCells || w.bytes >= pendingBytes }

// Open creates dir if needed, locks it and finds its cells. It fails with a [*LockedError] while
// another store writes dir, with a [*MismatchError] for another kind of experiment, and with a
// [*VersionError] for another schema version. Results of another run of the kind are accepted.
func Open(ctx context.Context, dir string, options StoreOptions) (*Store, error) {
	s, err := open(ctx, dir, options, disk.OS{})
	return s, disk.Advise(err)
}

func open(ctx context.Context, dir string, options StoreOptions, d disk.FS) (*Store, error) {
	rows, err := newOutcomeRows(options.Tables, options.Run)
	if err != nil {
		return nil, fmt.Errorf("results in %s: %w", dir, err)
	}
	names := lists.Map(rows.further(), func(t experiment.Table) string { return t.Name })
	if len(names) > 8 {
		return nil, fmt.Errorf("results in %s: %d further tables; allowed are 8", dir, len(names))
	}
	s := &Store{
		folder: folder{dir: dir, disk: d}, rows: rows, kept: options.Kept, limits: sortBounds,
		index: newIndex(names, options.Needed), next: 1, compression: cmp.Or(options.Compression, ZSTD),
	}
	for _, name := range append(slices.Clone(s.kept), options.Needed...) {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("results in %s: there is no further table %q to keep", dir, name)
		}
	}
	if s.kept == nil {
		s.kept = names
	}
	if err := disk.MkdirAll(d, dir); err != nil {
		return nil, fmt.Errorf("creating the folder of results: %w", err)
	}
	if s.lock, err = d.Lock(s.path(lockName)); err != nil {
		if held, ok := errors.AsType[*disk.HeldError](err); ok {
			err = &LockedError{Dir: dir, Holder: held.Holder}
		}
		return nil, fmt.Errorf("results: %w", err)
	}
	if err := s.recover(ctx); err != nil {
		return nil, fmt.Errorf("results in %s: %w", dir, errors.Join(err, s.lock.Close()))
	}
	return s, nil
}

// Foreign reports whether [Open] found files of another run or of an interrupted compaction: cells
// may be in the wrong files until the next [Store.Compact].
func (s *Store) Foreign() bool { return s.foreign || len(s.former) > 0 || s.untrimmed }

// Newest returns how a cell ended, and in there whether it has the needed tables. Outcomes need not
// be durable. shortOf is the column short_of, 0 for null.
func (s *Store) Newest(cell string) (status experiment.Status, shortOf float64, there bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok := s.pending.position[cell]; ok {
		o := s.pending.outcomes[at]
		return o.Status, o.Short, true
	}
	return s.index.newest(cell)
}

// Counts counts the durable cells by status, without former grids.
func (s *Store) Counts() map[experiment.Status]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index.counts()
}

// Omitted describes torn ends of streams that [Open] skipped, whose cells will be computed again.
func (s *Store) Omitted() []string { return slices.Clone(s.omitted) }

// Append adds an outcome, which must not change afterwards. It flushes when 8192 cells or 20 MiB
// wait. An outcome that does not fit the tables is refused; after any other error it waits for the
// next Flush.
func (s *Store) Append(o *experiment.Outcome) error {
	if o.Run != s.rows.run {
		return fmt.Errorf("storing the outcome of cell %s: it belongs to run %q, not %q", o.Cell, o.Run, s.rows.run)
	}
	if _, err := ParseCell(o.Cell); err != nil {
		return fmt.Errorf("storing an outcome: %w", err)
	}
	if err := s.rows.declared.Fits(o); err != nil {
		return fmt.Errorf("storing the outcome of cell %s: %w", o.Cell, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending.put(o, s.rows.bytes)
	if s.pending.full() {
		return disk.Advise(s.flush())
	}
	return nil
}

// Flush makes all appended outcomes durable.
func (s *Store) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return disk.Advise(s.flush())
}

func (s *Store) flush() error {
	if len(s.pending.outcomes) == 0 {
		return nil
	}
	if s.active == nil {
		number := s.next
		s.next++
		active, err := createSegment(s.disk, s.dir, s.rows.tables, s.rows.run, number)
		if err != nil {
			s.segments = append(s.segments, &segment{number: number}) // for removal
			return fmt.Errorf("storing %d outcomes: %w", len(s.pending.outcomes), err)
		}
		s.active = active
	}
	err := s.active.write(func(table int, batch *experiment.Batch) error {
		return s.rows.appendTo(batch, table, s.pending.outcomes)
	})
	if err != nil {
		return fmt.Errorf("storing %d outcomes: %w", len(s.pending.outcomes), errors.Join(err, s.abandon()))
	}
	at := rowSource{int32(s.active.number), int32(s.active.batches - 1)}
	for _, o := range s.pending.outcomes {
		key, err := ParseCell(o.Cell)
		if err == nil {
			err = s.index.set(key, at, o.Status, max(o.Short, 0), s.index.lists(slices.Collect(maps.Keys(o.Further))))
		}
		if err != nil {
			return err
		}
	}
	s.pending = waiting{}
	return nil
}

// abandon gives up a segment after a write error.
func (s *Store) abandon() error {
	active := s.active
	s.active = nil
	s.segments = append(s.segments, &active.segment)
	if active.batches == 0 {
		return active.remove()
	}
	return active.close()
}

func (s *Store) endActive() error {
	if s.active == nil {
		return nil
	}
	active := s.active
	s.active = nil
	s.segments = append(s.segments, &active.segment)
	return active.end()
}

// Close flushes and releases the lock.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return disk.Advise(errors.Join(s.flush(), s.endActive(), s.lock.Close()))
}

// lockName is never removed: removing it would race with the next writer.
const lockName = ".lock"

// LockedError reports that another store writes the folder.
type LockedError struct {
	Dir    string
	Holder string
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("%s is being written by %s; wait for it to end, or choose another folder", e.Dir, cmp.Or(e.Holder, "another process"))
}
