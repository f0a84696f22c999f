package results

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
)

// ReadTable reads an Arrow file or stream, recognized by content: all columns, or the named ones in
// their order. Another schema version is a [*VersionError]. A stream is read up to its last whole
// batch; an incomplete file is an error.
func ReadTable(path string, columns ...string) (*Frame, error) {
	t, err := OpenTable(path, nil)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if columns != nil {
		named := make([]experiment.Column, len(columns))
		for j, name := range columns {
			at := slices.IndexFunc(t.all, func(c experiment.Column) bool { return c.Name == name })
			if at < 0 {
				return nil, fmt.Errorf("reading %s: there is no column %s", path, name)
			}
			named[j] = t.all[at]
		}
		if err := t.choose(named); err != nil {
			return nil, err
		}
	}
	frame := t.frame(newBatch(t.Columns()))
	err = t.each(context.Background(), math.MaxInt, func(_ int, f *Frame) error {
		appendRows(&frame.Batch, 0, frame.Columns, &f.Batch, 0, f.Rows())
		frame.Batch.Rows += f.Rows()
		return nil
	})
	return frame, err
}

// TableReader reads a table batch by batch.
type TableReader struct {
	path     string
	file     disk.Source
	messages messageScanner
	isFile   bool // ends with a footer
	schema   *arrow.Schema
	metadata map[string]string
	version  int // of the schema; 0 for a table that does not say it
	all      []experiment.Column
	wanted   *projection
	batches  int
}

// OpenTable opens a table like [ReadTable], with all columns (nil) or the given ones. Of these, a
// table of an older schema version lacks those that have come since, which are null.
func OpenTable(path string, columns []experiment.Column) (*TableReader, error) {
	return openTable(disk.OS{}, path, columns)
}

func openTable(d disk.FS, path string, columns []experiment.Column) (*TableReader, error) {
	t := &TableReader{path: path}
	var err error
	if t.file, err = d.Open(path); err == nil {
		if err = t.begin(columns); err != nil {
			t.file.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, disk.WithoutPath(err, path))
	}
	return t, nil
}

func (t *TableReader) begin(columns []experiment.Column) error {
	size, err := t.file.Size()
	if err != nil {
		return err
	}
	t.messages = messageScanner{r: t.file, size: size}
	if err := t.skipMagic(); err != nil {
		return err
	}
	start := t.messages.offset
	m, err := t.messages.next()
	if errors.Is(err, io.EOF) || err == nil && m.kind != schemaMessage {
		err = errTorn
	}
	if err != nil {
		return fmt.Errorf("no Arrow schema: %w", err)
	}
	reader, err := ipc.NewReader(io.NewSectionReader(t.file, start, t.messages.offset-start))
	if err != nil {
		return fmt.Errorf("no Arrow schema: %w: %w", errTorn, err)
	}
	t.schema = reader.Schema()
	metadata := t.schema.Metadata()
	t.metadata = metadata.ToMap()
	if t.all, err = schemaColumns(t.schema); err != nil {
		return err
	}
	if text, tells := t.metadata[MetadataVersion]; tells {
		if t.version, err = parseVersion(text); err != nil {
			return err
		}
	}
	if columns == nil {
		columns = t.all
	}
	return t.choose(columns)
}

func (t *TableReader) choose(columns []experiment.Column) (err error) {
	at := make([]int, len(columns))
	for k, column := range columns {
		at[k] = slices.IndexFunc(t.all, func(c experiment.Column) bool { return c.Name == column.Name })
		switch {
		case at[k] < 0 && column.Since <= t.version:
			return fmt.Errorf("there is no column %s", column.Name)
		case at[k] >= 0 && t.all[at[k]].Type != column.Type:
			return fmt.Errorf("column %s holds %s, not %s", column.Name, t.all[at[k]].Type, column.Type)
		}
	}
	t.wanted, err = newProjection(t.all, columns, at)
	return err
}

func (t *TableReader) skipMagic() error {
	const length = len(fileMagic)
	var magic [length]byte
	size := t.messages.size
	if size < int64(length) {
		return nil // too short; the scanner reports it
	}
	if _, err := t.file.ReadAt(magic[:], 0); err != nil {
		return err
	}
	if string(magic[:]) != fileMagic {
		return nil
	}
	t.isFile = true
	if _, err := t.file.ReadAt(magic[:], size-int64(length)); err != nil {
		return err
	}
	var footer [4]byte
	if string(magic[:]) != fileMagic || size < int64(2*length+len(footer)+2) {
		return errNoFooter
	}
	end := size - int64(length+len(footer))
	if _, err := t.file.ReadAt(footer[:], end); err != nil {
		return err
	}
	t.messages.offset = int64(length) + 2
	t.messages.size = end - int64(binary.LittleEndian.Uint32(footer[:]))
	if t.messages.size < t.messages.offset {
		return errNoFooter
	}
	return nil
}

var errNoFooter = errors.New("the Arrow file is not whole: its footer is missing")

func (t *TableReader) Columns() []experiment.Column { return t.wanted.columns }

// Next returns the next batch, io.EOF after the last.
func (t *TableReader) Next() (*Frame, error) {
	m, err := t.message()
	if err != nil {
		return nil, err
	}
	batch, err := t.decode(m)
	if err != nil {
		return nil, err
	}
	return t.frame(batch), nil
}

func (t *TableReader) message() (*message, error) {
	m, err := t.messages.next()
	switch {
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case errors.Is(err, errTorn) && !t.isFile:
		return nil, io.EOF
	case err == nil && m.kind != batchMessage:
		err = fmt.Errorf("%w: an Arrow message of type %d", errTorn, m.kind)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: batch %d: %w", t.path, t.batches, disk.WithoutPath(err, t.path))
	}
	t.batches++
	return m, nil
}

func (t *TableReader) decode(m *message) (experiment.Batch, error) {
	batch, err := t.wanted.decode(t.file, m)
	if err != nil {
		err = fmt.Errorf("reading %s: batch %d: %w", t.path, t.batches-1, disk.WithoutPath(err, t.path))
	}
	return batch, err
}

// whole counts the batches up to the first torn or damaged one, which begins at a byte. More than limit
// are errTorn too.
func (t *TableReader) whole(ctx context.Context, limit int) (batches int, at int64, err error) {
	for ; ; batches++ {
		at = t.messages.offset
		m, err := t.messages.next()
		switch {
		case errors.Is(err, io.EOF):
			return batches, at, nil
		case err == nil && (m.kind != batchMessage || batches == limit):
			err = errTorn
		case err == nil:
			_, err = t.wanted.decode(t.file, m)
		}
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return batches, at, err
		}
	}
}

func (t *TableReader) frame(batch experiment.Batch) *Frame {
	return &Frame{Columns: t.Columns(), Batch: batch, Metadata: t.metadata}
}

func (t *TableReader) Close() error { return t.file.Close() }
