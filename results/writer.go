package results

import (
	"bufio"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
)

// Limits depend only on the rows, so that equal rows give equal files.
const (
	batchRows   = 16384
	batchValues = 1 << 19 // of lists: 4 MiB
)

type output struct {
	file     disk.File
	buffered *bufio.Writer
	position int64
	sums     sums
	held     []byte // while hold is set, not yet in the file
	hold     bool
}

func (o *output) Write(p []byte) (int, error) {
	if o.hold {
		o.held = append(o.held, p...)
		o.position += int64(len(p))
		return len(p), nil
	}
	n, err := o.buffered.Write(p)
	o.position += int64(n)
	o.sums.add(p[:n])
	return n, err
}

// Seek reports the position, which is all that the library asks for.
func (o *output) Seek(int64, int) (int64, error) { return o.position, nil }

func (o *output) sync() error {
	if err := o.buffered.Flush(); err != nil {
		return err
	}
	return o.file.Sync()
}

type recordWriter interface {
	Write(record arrow.Record) error
	Close() error
}

// tableWriter writes batches of a fixed size.
type tableWriter struct {
	path    string // of a stream
	schema  *arrow.Schema
	columns []experiment.Column
	out     *output
	records recordWriter
	isFile  bool
	rows    int // of a batch
	lists   int // FloatList column that also limits a batch, or -1
	values  int // in the lists
	batch   experiment.Batch
}

func newTableWriter(file disk.File, schema *arrow.Schema, columns []experiment.Column, isFile bool, rows int, compression Compression) (*tableWriter, error) {
	w := &tableWriter{
		schema: schema, columns: columns,
		out: &output{file: file, buffered: bufio.NewWriterSize(file, 1<<18)}, isFile: isFile, rows: rows, lists: -1,
		batch: newBatch(columns),
	}
	for j, column := range columns {
		if column.Type == experiment.FloatList {
			w.lists = j
		}
	}
	options := append(compression.options(), ipc.WithSchema(w.schema))
	if !isFile {
		w.records = ipc.NewWriter(w.out, options...)
		return w, nil
	}
	records, err := ipc.NewFileWriter(w.out, options...)
	w.records = records
	return w, err
}

// writeTable writes a whole file, without syncing or closing it.
func writeTable(file disk.File, schema *arrow.Schema, columns []experiment.Column, isFile bool, rows int, compression Compression, fill func(*tableWriter) error) error {
	w, err := newTableWriter(file, schema, columns, isFile, rows, compression)
	if err != nil {
		return err
	}
	if err := fill(w); err != nil {
		return err
	}
	return w.finish()
}

func (w *tableWriter) add(src *experiment.Batch, from, to int) error {
	for from < to {
		n := w.fit(src, from, to)
		appendRows(&w.batch, 0, w.columns, src, from, from+n)
		w.batch.Rows += n
		from += n
		if w.batch.Rows >= w.rows || w.values >= batchValues {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// fit returns the number of rows for the current batch, at least one.
func (w *tableWriter) fit(src *experiment.Batch, from, to int) int {
	n := min(to-from, w.rows-w.batch.Rows)
	if w.lists < 0 {
		return n
	}
	for i := range n {
		w.values += len(src.Columns[w.lists].Lists[from+i])
		if w.values >= batchValues {
			return i + 1
		}
	}
	return n
}

// flush writes one batch, even without rows.
func (w *tableWriter) flush() error {
	record, err := batchRecord(w.schema, w.columns, &w.batch)
	if err != nil {
		return err
	}
	if err := w.records.Write(record); err != nil {
		return err
	}
	w.out.sums.endSection(w.out.position)
	w.values = 0
	w.batch.Clear()
	return nil
}

// finish writes the rest. It neither syncs nor closes the file.
func (w *tableWriter) finish() error {
	// Some readers require a batch, and the library begins the file with it.
	if w.batch.Rows > 0 || len(w.out.sums.block) == 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if !w.isFile {
		return errors.Join(w.records.Close(), w.out.buffered.Flush())
	}
	// The library writes no end marker, which those need who read the file as a stream.
	if _, err := w.out.Write(streamEnd); err != nil {
		return err
	}
	w.out.sums.endSection(w.out.position)
	w.out.hold = true
	if err := w.records.Close(); err != nil { // writes the footer
		return err
	}
	for _, part := range [][]byte{w.out.sums.close(w.out.held), w.out.held} {
		if _, err := w.out.buffered.Write(part); err != nil {
			return err
		}
	}
	return w.out.buffered.Flush()
}

// WriteTable writes rows as an Arrow file of results, atomically.
func WriteTable(path string, table experiment.Table, run string, rows *experiment.Batch, compression Compression) error {
	if err := rows.Fits(table.Columns); err != nil {
		return fmt.Errorf("writing %s: the table %s %w", path, table.Name, err)
	}
	return disk.Replace(disk.OS{}, path, func(file disk.File) error {
		schema := withChecksums(tableSchema(table, run))
		return writeTable(file, schema, table.Columns, true, batchRows, compression, func(w *tableWriter) error { return w.add(rows, 0, rows.Rows) })
	})
}

// Compression is that of buffers in Arrow files and pages in Parquet files. "" is [ZSTD].
type Compression string

// Not every reader of Arrow files supports each compression.
const (
	ZSTD         Compression = "zstd"
	LZ4          Compression = "lz4" // LZ4 frames, in Parquet files Snappy
	Uncompressed Compression = "none"
)

// Compressions lists the compressions, the default first.
var Compressions = []string{string(ZSTD), string(LZ4), string(Uncompressed)}

var codecs = map[int8]Compression{codecNone: Uncompressed, codecLZ4: LZ4, codecZSTD: ZSTD}

func (c Compression) options() []ipc.Option {
	switch c {
	case Uncompressed:
		return nil
	case LZ4:
		return []ipc.Option{ipc.WithLZ4()}
	}
	return []ipc.Option{ipc.WithZstd()}
}
