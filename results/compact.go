package results

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
)

// Compact flushes and merges everything durable into one file per table, in the given order of
// cells, the grid's. Other cells go into the tables of former grids, former.cells.arrow and so on,
// by identity, and return when the order has them again. Equal outcomes give equal bytes under one
// compression, in any order of arrival; unchanged files are not touched.
//
// An error or a crash at any point loses nothing: the streams are deleted only after the new files
// are whole and durable. The disk needs room for old and new files and, for tables larger than 24
// MiB, another copy of the largest. Memory: 100 bytes a cell, 24 MiB of rows, and 1024 rows of each
// of up to 32 merged runs. Other methods wait meanwhile.
func (s *Store) Compact(ctx context.Context, order iter.Seq[string]) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := errors.Join(s.flush(), s.endActive(), s.removeReplaced()); err != nil {
		return disk.Advise(err)
	}
	n, same := s.index.sort(order)
	s.moved = s.moved || !same
	leave := slices.ContainsFunc(s.index.entries[n:], func(e entry) bool { return e.source != inFormer })
	comeBack := slices.ContainsFunc(s.index.entries[:n], func(e entry) bool { return e.source == inFormer })
	if !s.moved && !leave && !s.untrimmed && !comeBack && !s.shadowed && len(s.segments) == 0 && s.haveFinals() {
		return nil
	}
	if err := s.compact(ctx, n, leave, comeBack); err != nil {
		return disk.Advise(fmt.Errorf("compacting the results in %s: %w", s.dir, err))
	}
	return nil
}

func (s *Store) haveFinals() bool {
	lacks := func(name string) bool { return !slices.Contains(s.finals, name) }
	return !slices.ContainsFunc(s.kept, lacks) && !lacks(s.rows.cells().Name)
}

type finalSet struct {
	number int // 0 or [formerSegment]
	kept   []string
	holds  func(slot int32, at rowSource) bool
	trims  bool // writes only cells.arrow; further tables still have rows of the leaving cells
}

// compact expects the grid's cells first in the index. [Store.recover] explains the order.
func (s *Store) compact(ctx context.Context, n int, leave, comeBack bool) error {
	if err := s.disk.SyncDir(s.dir); err != nil { // from a killed process
		return err
	}
	former := func(slot int32, _ rowSource) bool { return int(slot) >= n }
	if leave {
		err := s.writeFormer(ctx, func(slot int32, at rowSource) bool { return former(slot, at) || at == inFormer })
		if err != nil {
			return err
		}
		relocate(s.index.entries[n:], inFormer)
		s.untrimmed = true
	}
	if s.untrimmed {
		if err := s.trim(ctx, n); err != nil {
			return err
		}
		s.untrimmed = false
	}
	s.shadowed = s.shadowed || comeBack
	written, err := s.writeFinals(ctx, finalSet{kept: s.kept, holds: func(slot int32, _ rowSource) bool { return int(slot) < n }})
	if err != nil {
		return err
	}
	relocate(s.index.entries[:n], rowSource{})
	s.moved = false
	s.finals = written
	s.segments, s.gathered, s.replaced = nil, s.segments, true
	if err := s.removeReplaced(); err != nil {
		return err
	}
	switch {
	case !s.shadowed:
		return nil
	case n < len(s.index.entries):
		return s.writeFormer(ctx, former)
	}
	return s.removeFormer()
}

func (s *Store) writeFormer(ctx context.Context, holds func(slot int32, at rowSource) bool) error {
	written, err := s.writeFinals(ctx, finalSet{number: formerSegment, kept: s.former, holds: holds})
	if err == nil {
		s.former, s.shadowed = written, false
	}
	return err
}

// removeFormer deletes the cells first.
func (s *Store) removeFormer() error {
	s.former = nil
	for _, table := range slices.Backward(s.rows.tables) {
		if err := s.remove(formerName(table.Name)); err != nil {
			return err
		}
	}
	s.shadowed = false
	return nil
}

// Prune deletes the files of former grids and counts their cells.
func (s *Store) Prune() (cells int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.removeFormer(); err != nil {
		return 0, disk.Advise(fmt.Errorf("removing the cells of former grids from %s: %w", s.dir, err))
	}
	before := len(s.index.entries)
	s.index.entries = slices.DeleteFunc(s.index.entries, func(e entry) bool { return e.source == inFormer })
	s.index.number()
	return before - len(s.index.entries), nil
}

// trim removes the leaving cells from cells.arrow before the further tables lose their rows, and
// rows that count elsewhere.
func (s *Store) trim(ctx context.Context, n int) error {
	cells := s.rows.cells()
	if !slices.Contains(s.finals, cells.Name) {
		return nil
	}
	with := slices.DeleteFunc(slices.Clone(s.finals), func(table string) bool { return table == cells.Name })
	set := finalSet{trims: true, holds: func(slot int32, at rowSource) bool { return int(slot) < n && at == rowSource{} }}
	_, err := s.compactTable(ctx, cells, set, with)
	if err != nil {
		return errors.Join(err, disk.RemoveIfThere(s.disk, disk.Temporary(s.path(finalName(cells.Name)))))
	}
	return s.commit(0, nil)
}

func (s *Store) writeFinals(ctx context.Context, set finalSet) (written []string, err error) {
	defer func() {
		if err == nil {
			return
		}
		for _, table := range s.rows.tables {
			err = errors.Join(err, disk.RemoveIfThere(s.disk, disk.Temporary(s.path(fileName(table.Name, set.number)))))
		}
	}()
	for _, table := range s.rows.further() {
		rows, err := s.compactTable(ctx, table, set, nil)
		if err != nil {
			return nil, err
		}
		if rows > 0 || slices.Contains(set.kept, table.Name) {
			written = append(written, table.Name)
		} else if err := disk.RemoveIfThere(s.disk, disk.Temporary(s.path(fileName(table.Name, set.number)))); err != nil {
			return nil, err
		}
	}
	cells := s.rows.cells()
	if _, err := s.compactTable(ctx, cells, set, written); err != nil {
		return nil, err
	}
	return append(written, cells.Name), s.commit(set.number, written)
}

// compactTable writes the temporary file of a table. The cells' file names the tables in with.
func (s *Store) compactTable(ctx context.Context, table experiment.Table, set finalSet, with []string) (rows int, err error) {
	sorter := &tableSorter{
		disk: s.disk, dir: s.dir, table: table, run: s.rows.run, limits: s.limits,
		position: func(cell string) (int32, bool) {
			_, slot, ok := s.index.find(cell)
			return slot, ok
		},
	}
	defer func() { err = errors.Join(err, sorter.close()) }()
	var sources []*segment
	if slices.Contains(s.finals, table.Name) {
		sources = append(sources, &segment{0, math.MaxInt})
	}
	if slices.Contains(s.former, table.Name) {
		sources = append(sources, &segment{formerSegment, math.MaxInt})
	}
	for _, of := range append(sources, s.segments...) {
		if of.batches == 0 {
			continue
		}
		n, err := s.gather(ctx, sorter, set, of.number, of.batches)
		if err != nil {
			return 0, err
		}
		rows += n
	}
	schema := withChecksums(tableSchema(table, s.rows.run))
	if table.Name == s.rows.cells().Name {
		schema = withMetadata(schema, MetadataTables, strings.Join(with, ","))
		if set.trims {
			schema = withMetadata(schema, MetadataTrimmed, "true")
		}
	}
	return rows, disk.Write(s.disk, disk.Temporary(s.path(fileName(table.Name, set.number))), func(file disk.File) error {
		return writeTable(file, schema, table.Columns, true, batchRows, s.compression, func(w *tableWriter) error { return sorter.write(ctx, w) })
	})
}

// gather adds the rows whose source is the file, from the given number of batches of a stream.
func (s *Store) gather(ctx context.Context, sorter *tableSorter, set finalSet, number, batches int) (rows int, err error) {
	name := fileName(sorter.table.Name, number)
	reader, err := openTable(s.disk, s.path(name), sorter.table.Columns)
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	column := cellColumn(sorter.table)
	read := 0
	err = reader.each(ctx, batches, func(k int, f *Frame) error {
		read++
		at := sourceOf(number, k)
		cells := f.Batch.Columns[column].Texts
		for from, to := 0, 0; from < len(cells); from = to {
			to = from + cellRun(cells[from:])
			e, slot, ok := s.index.find(cells[from])
			if !ok || e.source != at || !set.holds(slot, at) {
				continue
			}
			sorter.add(&f.Batch, from, to, slot)
			rows += to - from
		}
		if sorter.bytes < sorter.limits.bytes {
			return nil
		}
		return sorter.writeRun()
	})
	if err != nil {
		return 0, err
	}
	if number > 0 && read < batches {
		return 0, fmt.Errorf("%w: %s changed since it was opened", io.EOF, name)
	}
	return rows, nil
}

// commit puts the temporary files in place, cells.arrow last.
func (s *Store) commit(number int, written []string) error {
	for _, table := range written {
		if err := s.rename(fileName(table, number)); err != nil {
			return err
		}
	}
	if err := s.disk.SyncDir(s.dir); err != nil {
		return err
	}
	if err := s.rename(fileName(s.rows.cells().Name, number)); err != nil {
		return err
	}
	return s.disk.SyncDir(s.dir)
}

// removeReplaced deletes the replaced files. After a crash or an error the remains must not count for
// more than before. So files of further tables without rows go before the segments to whose cells
// they could belong, then the segments by number, of each the cells first.
func (s *Store) removeReplaced() error {
	if !s.replaced {
		return nil
	}
	var withoutRows, streams []string
	for _, table := range s.rows.further() {
		if !slices.Contains(s.finals, table.Name) {
			withoutRows = append(withoutRows, finalName(table.Name))
		}
	}
	if err := s.remove(withoutRows...); err != nil {
		return err
	}
	for _, segment := range s.gathered {
		if err := s.remove(streamName(s.rows.cells().Name, segment.number)); err != nil {
			return err
		}
		for _, table := range s.rows.further() {
			streams = append(streams, streamName(table.Name, segment.number))
		}
	}
	err := s.remove(streams...)
	if err == nil {
		s.gathered, s.replaced = nil, false
	}
	return err
}
