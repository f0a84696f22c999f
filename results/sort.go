package results

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/agepath/agepath/experiment"
)

// Bounds of the external merge sort of a table (Knuth, The Art of Computer
// Programming 3, 5.4): what is sorted in memory at once, how many sorted runs
// are merged at once, and the rows read ahead of each.
const (
	sortBytes   = 64 << 20
	sortFanIn   = 64
	sortRunRows = 2048
)

// tableSorter sorts the rows of a table by the position of their cell. Rows
// of a cell stay in the order they come in. What exceeds the limit goes to
// sorted runs on the disk.
type tableSorter struct {
	disk     disk
	dir      string
	table    experiment.Table
	run      string
	position func(cell string) (int32, bool)
	limit    int

	chunk experiment.Batch
	keys  []int32
	bytes int
	files int      // runs created so far
	runs  []string // paths, in the order their rows came in
}

// add adds rows of one cell.
func (s *tableSorter) add(src *experiment.Batch, from, to int, key int32) error {
	appendRows(&s.chunk, 0, s.table.Columns, src, from, to)
	s.chunk.Rows += to - from
	for range to - from {
		s.keys = append(s.keys, key)
	}
	s.bytes += batchBytes(s.table.Columns, src, from, to)
	if s.bytes < s.limit {
		return nil
	}
	path := s.runPath()
	s.runs = append(s.runs, path)
	return s.createRun(path, s.writeChunk)
}

func (s *tableSorter) runPath() string {
	s.files++
	return temporaryPath(s.dir, fmt.Sprintf("%s.run%04d", s.table.Name, s.files))
}

func (s *tableSorter) createRun(path string, write func(*tableWriter) error) error {
	return createTemporary(s.disk, path, func(file diskFile) error {
		w, err := newTableWriter(file, tableSchema(s.table, s.run), s.table.Columns, false, sortRunRows)
		if err != nil {
			return err
		}
		if err := write(w); err != nil {
			return err
		}
		return w.finish()
	})
}

// writeChunk writes the rows in memory in order and forgets them.
func (s *tableSorter) writeChunk(w *tableWriter) error {
	rows := make([]int32, len(s.keys))
	for i := range rows {
		rows[i] = int32(i)
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(s.keys[a], s.keys[b]) })
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n] == rows[n-1]+1 {
			n++
		}
		if err := w.add(&s.chunk, int(rows[0]), int(rows[0])+n); err != nil {
			return err
		}
		rows = rows[n:]
	}
	s.chunk, s.keys, s.bytes = newBatch(s.table.Columns), nil, 0
	return nil
}

// write writes all rows in order. The sorter is empty afterwards, also after
// an error.
func (s *tableSorter) write(ctx context.Context, w *tableWriter) error {
	if len(s.runs) == 0 {
		return s.writeChunk(w)
	}
	if s.chunk.Rows > 0 {
		path := s.runPath()
		s.runs = append(s.runs, path)
		if err := s.createRun(path, s.writeChunk); err != nil {
			return err
		}
	}
	for len(s.runs) > sortFanIn {
		var merged []string
		for part := range slices.Chunk(s.runs, sortFanIn) {
			path := s.runPath()
			merged = append(merged, path)
			err := s.createRun(path, func(w *tableWriter) error { return s.merge(ctx, w, part) })
			if err != nil {
				return err
			}
			for _, done := range part {
				if err := os.Remove(done); err != nil {
					return err
				}
			}
		}
		s.runs = merged
	}
	return s.merge(ctx, w, s.runs)
}

// close deletes the runs.
func (s *tableSorter) close() error {
	var errs []error
	for i := range s.files {
		path := temporaryPath(s.dir, fmt.Sprintf("%s.run%04d", s.table.Name, i+1))
		if err := os.Remove(path); !os.IsNotExist(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// merge merges sorted runs; of equal cells the rows of the earlier run come
// first.
func (s *tableSorter) merge(ctx context.Context, w *tableWriter, paths []string) (err error) {
	var heads mergeHeap
	defer func() {
		for _, h := range heads {
			err = errors.Join(err, h.reader.Close())
		}
	}()
	for i, path := range paths {
		reader, err := OpenTable(path)
		if err != nil {
			return err
		}
		h := &mergeHead{reader: reader, number: i}
		heads = append(heads, h)
		if err := s.advance(h); err != nil {
			return err
		}
	}
	heap.Init(&heads)
	for len(heads) > 0 {
		h := heads[0]
		if err := w.add(&h.batch, h.from, h.to); err != nil {
			return err
		}
		h.from = h.to
		if err := s.advance(h); err != nil {
			return err
		}
		if h.from < h.to {
			heap.Fix(&heads, 0)
			continue
		}
		heap.Pop(&heads)
		if err := errors.Join(h.reader.Close(), ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// mergeHead is the first cell of a run that is not merged yet: rows from up
// to to of the batch that is read ahead. It is empty at the end of the run.
type mergeHead struct {
	reader   *TableReader
	number   int
	batch    experiment.Batch
	from, to int
	key      int32
}

// advance moves a head to the rows of the next cell that the batch has.
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
		return fmt.Errorf("%s: cell %s came from nowhere", filepath.Base(h.reader.path), cell)
	}
	h.key = key
	h.to = h.from + cellRun(cells[h.from:])
	return nil
}

// cellRun returns how many rows of the first cell stand at the beginning.
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

// mergeHeap implements [heap.Interface].
type mergeHeap []*mergeHead

func (h mergeHeap) Len() int { return len(h) }
func (h mergeHeap) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].key, h[j].key), cmp.Compare(h[i].number, h[j].number)) < 0
}
func (h mergeHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *mergeHeap) Push(x any)   { *h = append(*h, x.(*mergeHead)) }
func (h *mergeHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
