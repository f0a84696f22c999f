package results

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"path/filepath"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
)

// Compact flushes and turns everything that is durable into one file a table:
// cells.arrow with one row a cell in the given order (the grid's; cells it
// does not know come last, by identity), and the further tables in the same
// order of cells, the rows of a cell as its outcome gave them. Equal outcomes
// give equal bytes, in whatever order they arrived; where the files would not
// change they are not touched.
//
// New files take the place of the old ones only when they are whole and
// durable, and the streams are deleted after that, so that an error or a
// crash at any point loses nothing. The disk needs room for the old and the
// new files and, for tables larger than 24 MiB, for one more copy of the
// largest. Memory: about 60 bytes a cell, 24 MiB of rows, and 1024 rows of
// each of up to 32 runs that are merged. Other methods wait meanwhile.
func (s *Store) Compact(ctx context.Context, order iter.Seq[string]) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := errors.Join(s.flush(), s.endActive(), s.removeReplaced()); err != nil {
		return disk.Advise(err)
	}
	if !s.index.sort(order) {
		s.moved = true
	}
	if !s.moved && len(s.segments) == 0 && s.haveFinals() {
		return nil
	}
	if err := s.compact(ctx); err != nil {
		return disk.Advise(fmt.Errorf("compacting the results in %s: %w", s.dir, err))
	}
	return nil
}

func (s *Store) haveFinals() bool {
	for _, name := range append(slices.Clone(s.kept), s.rows.cells().Name) {
		if !slices.Contains(s.finals, name) {
			return false
		}
	}
	return true
}

func (s *Store) compact(ctx context.Context) (err error) {
	var written []string
	defer func() {
		if err == nil {
			return
		}
		for _, table := range s.rows.tables {
			err = errors.Join(err, disk.RemoveIfThere(s.disk, disk.Temporary(s.finalPath(table.Name))))
		}
	}()
	for _, table := range s.rows.further() {
		rows, err := s.compactTable(ctx, table, nil)
		if err != nil {
			return err
		}
		if rows > 0 || slices.Contains(s.kept, table.Name) {
			written = append(written, table.Name)
		}
	}
	cells := s.rows.cells()
	if _, err := s.compactTable(ctx, cells, written); err != nil {
		return err
	}
	return s.commit(written)
}

// compactTable writes the temporary file of a table and returns its number of
// rows.
func (s *Store) compactTable(ctx context.Context, table experiment.Table, with []string) (rows int, err error) {
	sorter := &tableSorter{
		disk: s.disk, dir: s.dir, table: table, run: s.rows.run, limits: s.limits,
		position: func(cell string) (int32, bool) {
			_, slot, ok := s.index.find(cell)
			return slot, ok
		},
	}
	defer func() { err = errors.Join(err, sorter.close()) }()
	if slices.Contains(s.finals, table.Name) {
		n, err := s.gather(ctx, sorter, finalName(table.Name), 0, math.MaxInt)
		if err != nil {
			return 0, err
		}
		rows += n
	}
	for _, segment := range s.segments {
		if segment.batches == 0 {
			continue
		}
		n, err := s.gather(ctx, sorter, streamName(table.Name, segment.number), segment.number, segment.batches)
		if err != nil {
			return 0, err
		}
		rows += n
	}
	schema := withChecksums(tableSchema(table, s.rows.run))
	if with != nil {
		schema = withTables(schema, with)
	}
	return rows, disk.Write(s.disk, disk.Temporary(s.finalPath(table.Name)), func(file disk.File) error {
		w, err := newTableWriter(file, schema, table.Columns, true, batchRows)
		if err != nil {
			return err
		}
		if err := sorter.write(ctx, w); err != nil {
			return err
		}
		return w.finish()
	})
}

// gather adds the rows of a file that count: those of cells whose source it
// is. Of a stream it reads the given number of batches.
func (s *Store) gather(ctx context.Context, sorter *tableSorter, name string, number, batches int) (rows int, err error) {
	reader, err := openTable(s.disk, filepath.Join(s.dir, name), nil)
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	column := cellColumn(sorter.table)
	read := 0
	err = reader.each(ctx, batches, func(k int, f *Frame) error {
		read++
		at := sourceOf(number, k)
		if have := len(f.Batch.Columns); have < len(sorter.table.Columns) { // a version before wrote it
			f.Batch.Columns = append(f.Batch.Columns, nulls(sorter.table.Columns[have:], f.Rows())...)
		}
		cells := f.Batch.Columns[column].Texts
		for from, to := 0, 0; from < len(cells); from = to {
			to = from + cellRun(cells[from:])
			e, slot, ok := s.index.find(cells[from])
			if !ok || e.source != at {
				continue
			}
			sorter.add(&f.Batch, from, to, slot)
			rows += to - from
		}
		return sorter.spill()
	})
	if err != nil {
		return 0, err
	}
	if number > 0 && read < batches {
		return 0, fmt.Errorf("%w: %s changed since it was opened", io.EOF, name)
	}
	return rows, nil
}

// commit puts the temporary files in place and deletes what they replace. See
// [Store.recover] for the order.
func (s *Store) commit(written []string) error {
	for _, table := range written {
		if err := s.rename(table); err != nil {
			return err
		}
	}
	if err := s.disk.SyncDir(s.dir); err != nil {
		return err
	}
	cells := s.rows.cells().Name
	if err := s.rename(cells); err != nil {
		return err
	}
	if err := s.disk.SyncDir(s.dir); err != nil {
		return err
	}
	s.index.settle()
	s.moved = false
	s.finals = append(slices.Clone(written), cells)
	s.segments, s.gathered, s.replaced = nil, s.segments, true
	return s.removeReplaced()
}

func (s *Store) rename(table string) error {
	return s.disk.Rename(disk.Temporary(s.finalPath(table)), s.finalPath(table))
}

// removeReplaced deletes what the final files have taken the place of. What a
// crash leaves of it must not count for more than it did, nor what an error
// leaves until the next compaction begins with it. So files of further tables
// that have no rows any more go before the segments whose cells they could be
// taken to belong to, then the segments, the earliest first and of each the
// cells first.
func (s *Store) removeReplaced() error {
	if !s.replaced {
		return nil
	}
	for _, table := range s.rows.further() {
		if slices.Contains(s.finals, table.Name) {
			continue
		}
		path := s.finalPath(table.Name)
		if err := errors.Join(disk.RemoveIfThere(s.disk, path), disk.RemoveIfThere(s.disk, disk.Temporary(path))); err != nil {
			return err
		}
	}
	if err := s.disk.SyncDir(s.dir); err != nil {
		return err
	}
	cells := s.rows.cells().Name
	for _, segment := range s.gathered {
		if err := disk.RemoveIfThere(s.disk, filepath.Join(s.dir, streamName(cells, segment.number))); err != nil {
			return err
		}
		if err := s.disk.SyncDir(s.dir); err != nil {
			return err
		}
	}
	for _, segment := range s.gathered {
		for _, table := range s.rows.further() {
			if err := disk.RemoveIfThere(s.disk, filepath.Join(s.dir, streamName(table.Name, segment.number))); err != nil {
				return err
			}
		}
	}
	err := s.disk.SyncDir(s.dir)
	if err == nil {
		s.gathered, s.replaced = nil, false
	}
	return err
}
