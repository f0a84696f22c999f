package results

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
)

// MismatchError reports that a file in DIR does not belong to the store's kind of experiment.
type MismatchError struct {
	Path string
	What string // table, columns
	Have string
	Want string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s holds other results: its %s is %s, not %s; choose another folder or remove the file",
		e.Path, e.What, e.Have, e.Want)
}

func checkSchema(t *TableReader, table experiment.Table) error {
	if t.version == 0 {
		return &MismatchError{t.path, "schema version", "absent", strconv.Itoa(experiment.SchemaVersion)}
	}
	if is := t.metadata[MetadataTable]; is != table.Name {
		return &MismatchError{t.path, "table", strconv.Quote(is), strconv.Quote(table.Name)}
	}
	table.Columns = slices.DeleteFunc(slices.Clone(table.Columns), func(c experiment.Column) bool { return c.Since > t.version })
	want := tableSchema(table, "")
	for j := range max(t.schema.NumFields(), want.NumFields()) {
		is, should := fieldText(t.schema, j), fieldText(want, j)
		if is != should {
			return &MismatchError{t.path, fmt.Sprintf("column %d", j+1), is, should}
		}
	}
	return nil
}

func fieldText(schema *arrow.Schema, j int) string {
	if j >= schema.NumFields() {
		return "absent"
	}
	field := schema.Field(j)
	return fmt.Sprintf("%s (%s)", field.Name, field.Type)
}

// recover finds the durable cells: in the files of former grids, then the final files, then the
// segments by number. The last one that has a cell counts.
//
// A compaction renames the further tables first and cells.arrow last, then deletes the segments by
// number, of each the cells first. So a cell is always either in a segment, whose rows count, or in
// cells.arrow, whose further tables hold its rows. A segment without its cells is a remnant.
//
// Cells that leave the grid are first written to the files of former grids; then only cells.arrow
// is replaced by one without them. So further tables may have rows of cells that cells.arrow does
// not have, never the reverse; the metadata of cells.arrow says so until the next compaction has
// written all tables. Cells that return leave the files of former grids last. In between those in
// cells.arrow or a segment count.
//
// Files of a killed process need not be durable. wholeBatches makes streams durable before anything
// depends on them. Names are safe: a stream's name is durable before its first batch of cells, and
// streams stay until that of cells.arrow is. A compaction makes names durable before it renames.
func (s *Store) recover(ctx context.Context) error {
	names, err := s.disk.ReadDir(s.dir)
	if err != nil {
		return err
	}
	streams := map[int][]string{}
	for _, name := range names {
		if s.rows.isTemporary(name) {
			if err := s.disk.Remove(filepath.Join(s.dir, name)); err != nil {
				return err
			}
		}
		table, number, ok := parseStreamName(name)
		if ok && slices.ContainsFunc(s.rows.tables, func(t experiment.Table) bool { return t.Name == table }) {
			streams[number] = append(streams[number], table)
			s.next = max(s.next, number+1)
		}
	}
	if err := s.recoverFormer(ctx, names); err != nil {
		return err
	}
	if s.finals, err = s.recoverFinals(ctx, 0); err != nil {
		return err
	}
	for number := range s.next {
		tables := streams[number]
		if slices.Contains(tables, s.rows.cells().Name) {
			if err := s.recoverSegment(ctx, number); err != nil {
				return err
			}
			continue
		}
		for _, table := range tables {
			if err := s.disk.Remove(filepath.Join(s.dir, streamName(table, number))); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *outcomeRows) isTemporary(name string) bool {
	of, ok := disk.TemporaryOf(name)
	of = strings.TrimPrefix(of, formerPrefix)
	return ok && slices.ContainsFunc(r.tables, func(t experiment.Table) bool { return strings.HasPrefix(of, t.Name+".") })
}

const formerPrefix = "former."

func finalName(table string) string { return table + ".arrow" }

func formerName(table string) string { return formerPrefix + finalName(table) }

// recoverFormer removes further tables without cells, remnants of a crash.
func (s *Store) recoverFormer(ctx context.Context, names []string) (err error) {
	if slices.Contains(names, formerName(s.rows.cells().Name)) {
		s.former, err = s.recoverFinals(ctx, formerSegment)
		return err
	}
	if slices.ContainsFunc(s.rows.further(), func(t experiment.Table) bool { return slices.Contains(names, formerName(t.Name)) }) {
		return s.removeFormer()
	}
	return nil
}

func (s *Store) recoverFinals(ctx context.Context, number int) (finals []string, err error) {
	for _, table := range s.rows.further() {
		reader, err := s.open(ctx, table, number, nil)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := reader.Close(); err != nil {
			return nil, err
		}
		finals = append(finals, table.Name)
	}
	cells := s.rows.cells()
	reader, err := s.open(ctx, cells, number, indexed)
	if errors.Is(err, fs.ErrNotExist) {
		return finals, nil
	}
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	if number == 0 && (reader.metadata[MetadataRun] != s.rows.run || reader.version < experiment.SchemaVersion) {
		s.moved = true
	}
	together := writtenWith(reader.metadata)
	if number == 0 {
		left := func(table string) bool { return !slices.Contains(together, table) }
		s.untrimmed = reader.metadata[MetadataTrimmed] != "" || slices.ContainsFunc(finals, left)
	}
	// Refuse a final file without a file that was written with it.
	for _, table := range together {
		if !slices.Contains(finals, table) {
			return nil, missingError(table, number)
		}
	}
	if err := s.indexCells(ctx, reader, number, math.MaxInt); err != nil {
		return nil, err
	}
	s.moved = s.moved || number == 0 && codecs[reader.wanted.codec] != s.compression
	return append(finals, cells.Name), nil
}

func writtenWith(metadata map[string]string) []string {
	return strings.FieldsFunc(metadata[MetadataTables], func(r rune) bool { return r == ',' })
}

func missingError(table string, number int) error {
	return fmt.Errorf("%s is missing, which was written together with %s: restore it, or remove %[2]s too and compute its cells again",
		fileName(table, number), fileName("cells", number))
}

// openChecked opens the file of a table, see [fileName]. It refuses one of another kind of
// experiment and, other than a stream, a damaged one.
func openChecked(ctx context.Context, d disk.FS, dir string, table experiment.Table, number int, columns []experiment.Column) (*TableReader, error) {
	path := filepath.Join(dir, fileName(table.Name, number))
	reader, err := openTable(d, path, columns)
	if err != nil {
		return nil, err
	}
	err = checkSchema(reader, table)
	if err == nil && number <= 0 {
		err = checkSums(ctx, d, path)
	}
	if err != nil {
		return nil, errors.Join(err, reader.Close())
	}
	return reader, nil
}

func (s *Store) open(ctx context.Context, table experiment.Table, number int, columns []experiment.Column) (*TableReader, error) {
	reader, err := openChecked(ctx, s.disk, s.dir, table, number, columns)
	if err == nil {
		s.foreign = s.foreign || reader.metadata[MetadataRun] != s.rows.run
	}
	return reader, err
}

func (s *Store) indexCells(ctx context.Context, reader *TableReader, number, limit int) error {
	return reader.each(ctx, limit, func(k int, f *Frame) error {
		keep := func(known *entry) bool {
			s.shadowed = s.shadowed || known.source == inFormer
			return true
		}
		if err := s.index.add(f, sourceOf(number, k), keep); err != nil {
			return fmt.Errorf("reading %s: %w", reader.path, err)
		}
		return nil
	})
}

// recoverSegment adds the cells of the batches that are whole in all tables.
func (s *Store) recoverSegment(ctx context.Context, number int) error {
	whole := math.MaxInt
	for _, table := range s.rows.tables {
		batches, err := s.wholeBatches(ctx, table, number, whole)
		if err != nil {
			return err
		}
		whole = batches
	}
	s.segments = append(s.segments, &segment{number: number, batches: whole})
	if whole == 0 {
		return nil
	}
	reader, err := s.open(ctx, s.rows.cells(), number, indexed)
	if err != nil {
		return err
	}
	defer reader.Close()
	return s.indexCells(ctx, reader, number, whole)
}

// wholeBatches ends at the first torn or damaged batch (by ZSTD's checksums), or at limit.
func (s *Store) wholeBatches(ctx context.Context, table experiment.Table, number, limit int) (int, error) {
	name := streamName(table.Name, number)
	reader, err := s.open(ctx, table, number, nil)
	if errors.Is(err, errTorn) || errors.Is(err, fs.ErrNotExist) {
		s.omitted = append(s.omitted, name+" holds no whole batch and was left out")
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	if err := reader.file.Sync(); err != nil {
		return 0, fmt.Errorf("making %s durable: %w", name, err)
	}
	batches, at, err := reader.whole(ctx, limit)
	if errors.Is(err, errTorn) {
		s.omitted = append(s.omitted, fmt.Sprintf("%s is not whole after %d batches, byte %d: the rest was left out", name, batches, at))
		return batches, nil
	}
	return batches, err
}
