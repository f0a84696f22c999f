package results

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"unsafe"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
)

// sortBounds are those of an external merge sort (Knuth, The Art of Computer Programming 3, 5.4):
// bytes in memory, runs merged at once, and rows read ahead of each.
var sortBounds = sortLimits{bytes: 24 << 20, fanIn: 32, rows: 1024}

type sortLimits struct{ bytes, fanIn, rows int }

// tableSorter sorts by the position of the cell, stably. Runs on the disk hold what exceeds the
// limit.
type tableSorter struct {
	disk     disk.FS
	dir      string
	table    experiment.Table
	run      string
	position func(cell string) (int32, bool)
	limits   sortLimits

	batches []*experiment.Batch // in memory, sorted by rows
	rows    []sortRow
	bytes   int      // estimate
	files   int      // runs created
	runs    []string // paths
}

// sortRow sorts by key, its cell's position, then by arrival.
type sortRow struct{ key, batch, row int32 }

func (a sortRow) compare(b sortRow) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.batch, b.batch), cmp.Compare(a.row, b.row))
}

// add expects rows of one cell, which must not change afterwards.
func (s *tableSorter) add(batch *experiment.Batch, from, to int, key int32) {
	n := len(s.batches)
	if n == 0 || s.batches[n-1] != batch {
		s.batches = append(s.batches, batch)
		s.bytes += batchBytes(s.table.Columns, batch)
		n++
	}
	for row := from; row < to; row++ {
		s.rows = append(s.rows, sortRow{key, int32(n - 1), int32(row)})
	}
	s.bytes += (to - from) * int(unsafe.Sizeof(sortRow{}))
}

func (s *tableSorter) writeRun() error {
	path, err := s.createRun(s.writeRows)
	s.runs = append(s.runs, path)
	return err
}

func (s *tableSorter) createRun(write func(*tableWriter) error) (path string, err error) {
	s.files++
	path = disk.Temporary(filepath.Join(s.dir, fmt.Sprintf("%s.run%04d", s.table.Name, s.files)))
	return path, disk.Write(s.disk, path, func(file disk.File) error {
		return writeTable(file, tableSchema(s.table, s.run), s.table.Columns, false, s.limits.rows, ZSTD, write)
	})
}

func (s *tableSorter) writeRows(w *tableWriter) error {
	slices.SortFunc(s.rows, sortRow.compare)
	for rows := s.rows; len(rows) > 0; {
		first, n := rows[0], 1
		for n < len(rows) && rows[n].batch == first.batch && rows[n].row == first.row+int32(n) {
			n++
		}
		if err := w.add(s.batches[first.batch], int(first.row), int(first.row)+n); err != nil {
			return err
		}
		rows = rows[n:]
	}
	s.batches, s.rows, s.bytes = nil, s.rows[:0], 0
	return nil
}

// write leaves the sorter empty, also after an error.
func (s *tableSorter) write(ctx context.Context, w *tableWriter) error {
	if len(s.runs) == 0 {
		return s.writeRows(w)
	}
	if len(s.rows) > 0 {
		if err := s.writeRun(); err != nil {
			return err
		}
	}
	for len(s.runs) > s.limits.fanIn {
		for k := 0; k < len(s.runs); k++ {
			part := slices.Clone(s.runs[k:min(k+s.limits.fanIn, len(s.runs))])
			path, err := s.createRun(func(w *tableWriter) error { return s.merge(ctx, w, part) })
			if err != nil {
				return err
			}
			s.runs = slices.Insert(s.runs, k, path)
			for _, done := range part {
				if err := s.disk.Remove(done); err != nil {
					return err
				}
			}
			s.runs = slices.Delete(s.runs, k+1, k+1+len(part))
		}
	}
	return s.merge(ctx, w, s.runs)
}

func (s *tableSorter) close() (err error) {
	for _, path := range s.runs {
		err = errors.Join(err, disk.RemoveIfThere(s.disk, path))
	}
	return err
}

// merge puts the rows of the earlier run first for equal cells.
func (s *tableSorter) merge(ctx context.Context, w *tableWriter, paths []string) (err error) {
	var heads []*mergeHead // in the order of paths
	defer func() {
		for _, h := range heads {
			err = errors.Join(err, h.reader.Close())
		}
	}()
	for _, path := range paths {
		reader, err := openTable(s.disk, path, nil)
		if err != nil {
			return err
		}
		h := &mergeHead{reader: reader}
		heads = append(heads, h)
		if err := s.advance(h); err != nil {
			return err
		}
	}
	for len(heads) > 0 {
		h := slices.MinFunc(heads, func(a, b *mergeHead) int { return cmp.Compare(a.key, b.key) }) // the first of equal ones
		if err := w.add(&h.batch, h.from, h.to); err != nil {
			return err
		}
		h.from = h.to
		if err := s.advance(h); err != nil {
			return err
		}
		if h.from < h.to {
			continue
		}
		heads = slices.DeleteFunc(heads, func(of *mergeHead) bool { return of == h })
		if err := errors.Join(h.reader.Close(), ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// mergeHead is the first unmerged cell of a run: rows [from, to) of the batch read ahead.
type mergeHead struct {
	reader   *TableReader
	batch    experiment.Batch
	from, to int
	key      int32
}

func (s *tableSorter) advance(h *mergeHead) error {
	for h.from == h.batch.Rows {
		frame, err := h.reader.Next()
		if errors.Is(err, io.EOF) {
			h.from, h.to = 0, 0
			return nil
		}
		if err != nil {
			return err
		}
		h.batch, h.from, h.to = frame.Batch, 0, 0
	}
	cells := h.batch.Columns[cellColumn(s.table)].Texts
	cell := cells[h.from]
	key, ok := s.position(cell)
	if !ok {
		return fmt.Errorf("%s: cell %s was not in the folder when it was opened", filepath.Base(h.reader.path), cell)
	}
	h.key = key
	h.to = h.from + cellRun(cells[h.from:])
	return nil
}

func cellRun(cells []string) int {
	n := 1
	for n < len(cells) && cells[n] == cells[0] {
		n++
	}
	return n
}

func cellColumn(table experiment.Table) int {
	return slices.IndexFunc(table.Columns, func(c experiment.Column) bool { return c.Name == "cell" })
}
