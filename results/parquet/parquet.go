// Package parquet writes the tables of a folder of results as Parquet files.
package parquet

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results"
)

// Name is the file of a table.
func Name(table string) string { return table + ".parquet" }

// Write writes each table of dir to folder, atomically and the cells last, without former grids, and
// returns the names of the files. Equal tables give equal bytes. Write fails while results are in
// streams.
func Write(ctx context.Context, dir, folder string, compression results.Compression) (names []string, err error) {
	contents, err := results.Look(dir)
	if err == nil && !contents.Ended {
		err = errors.New("the run has not ended; wait for its end, or collect it into a folder first")
	}
	if err != nil {
		return nil, fmt.Errorf("writing the tables of %s as Parquet: %w", dir, err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	tables := contents.Tables
	if i := slices.Index(tables, "cells"); i >= 0 {
		tables = append(slices.Delete(tables, i, i+1), "cells")
	}
	for _, table := range tables {
		err := disk.Replace(disk.OS{}, filepath.Join(folder, Name(table)), func(file disk.File) error {
			return Convert(ctx, filepath.Join(dir, table+".arrow"), file, compression)
		})
		if err := disk.Advise(err); err != nil {
			return nil, err
		}
		names = append(names, Name(table))
	}
	return names, nil
}

// Convert writes an Arrow file of results as a Parquet file.
func Convert(ctx context.Context, from string, to io.Writer, compression results.Compression) error {
	buffered := bufio.NewWriterSize(to, 1<<18)
	out := &writer{compression: compression}
	err := results.EachFrame(ctx, from, nil, func(frame *results.Frame) error {
		if out.file == nil {
			if err := out.begin(struct{ io.Writer }{buffered}, frame); err != nil { // Close must not close it
				return err
			}
		}
		return out.add(frame)
	})
	if err != nil {
		return err
	}
	// The library ignores what goes wrong with a group that it closes itself.
	if err := errors.Join(out.group.Close(), out.file.Close()); err != nil {
		return err
	}
	return buffered.Flush()
}

// codecs has Snappy for LZ4, which the library does not write to Parquet files.
var codecs = map[results.Compression]compress.Compression{
	results.ZSTD: compress.Codecs.Zstd, results.LZ4: compress.Codecs.Snappy, results.Uncompressed: compress.Codecs.Uncompressed,
}

// groupBatches of an Arrow file make a row group, which is kept in memory: at most 131,072 rows and
// 32 MiB of lists.
const groupBatches = 8

// Both avoid problems of arrow/go v15. Pages of version 1 copy the buffer of levels every few levels:
// quadratic for long lists. Version 2 splits its input at a number of values and hangs if a list is
// longer; batchValues exceeds any input.
const (
	batchValues = 1 << 40
	chunkValues = 8192 // of lists written at a time, or one list
)

// writer fills the library's columns itself: converting records with pqarrow makes a program 20 MB
// larger.
type writer struct {
	columns     []experiment.Column
	compression results.Compression

	file    *file.Writer
	group   file.BufferedRowGroupWriter
	batches int
}

func node(column experiment.Column) (schema.Node, error) {
	const noID = -1
	repetition := parquet.Repetitions.Optional
	switch column.Type {
	case experiment.Int:
		return schema.NewInt64Node(column.Name, repetition, noID), nil
	case experiment.Float:
		return schema.NewFloat64Node(column.Name, repetition, noID), nil
	case experiment.Text:
		return schema.NewPrimitiveNodeLogical(column.Name, repetition, schema.StringLogicalType{}, parquet.Types.ByteArray, 0, noID)
	case experiment.Time:
		micros := schema.NewTimestampLogicalType(true, schema.TimeUnitMicros)
		return schema.NewPrimitiveNodeLogical(column.Name, repetition, micros, parquet.Types.Int64, 0, noID)
	case experiment.FloatList:
		return schema.ListOfWithName(column.Name, schema.NewFloat64Node("element", repetition, noID), repetition, noID)
	}
	return nil, fmt.Errorf("column %s has a type that Parquet files of results do not have", column.Name)
}

func (w *writer) begin(to io.Writer, of *results.Frame) error {
	w.columns = of.Columns
	var fields schema.FieldList
	for _, column := range w.columns {
		field, err := node(column)
		if err != nil {
			return err
		}
		fields = append(fields, field)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		return err
	}
	pairs := metadata.NewKeyValueMetadata()
	for _, key := range slices.Sorted(maps.Keys(of.Metadata)) {
		if key == results.MetadataChecksums {
			continue
		}
		if err := pairs.Append(key, of.Metadata[key]); err != nil {
			return err
		}
	}
	properties := []parquet.WriterProperty{
		parquet.WithCompression(codecs[cmp.Or(w.compression, results.ZSTD)]), parquet.WithVersion(parquet.V2_LATEST),
		parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithBatchSize(batchValues),
	}
	for _, column := range w.columns {
		switch column.Type { // numbers are rarely equal
		case experiment.Float:
			properties = append(properties, parquet.WithDictionaryFor(column.Name, false))
		case experiment.FloatList:
			properties = append(properties, parquet.WithDictionaryFor(column.Name+".list.element", false))
		}
	}
	w.file = file.NewParquetWriter(to, root,
		file.WithWriterProps(parquet.NewWriterProperties(properties...)), file.WithWriteMetadata(pairs))
	return nil
}

func (w *writer) add(frame *results.Frame) error {
	if w.batches%groupBatches == 0 {
		if w.group != nil {
			if err := w.group.Close(); err != nil {
				return err
			}
		}
		w.group = w.file.AppendBufferedRowGroup()
	}
	w.batches++
	for j := range w.columns {
		column, err := w.group.Column(j)
		if err == nil {
			err = fill(column, &frame.Batch.Columns[j], frame.Rows())
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", w.columns[j].Name, err)
		}
	}
	return nil
}

func fill(column file.ColumnChunkWriter, v *experiment.Vector, rows int) (err error) {
	levels := make([]int16, rows)
	for i := range levels {
		if !v.IsNull(i) {
			levels[i] = 1
		}
	}
	switch column := column.(type) {
	case *file.Int64ColumnChunkWriter:
		_, err = column.WriteBatch(present(v, v.Ints), levels, nil)
	case *file.ByteArrayColumnChunkWriter:
		texts := present(v, v.Texts)
		bytes := lists.Map(texts, func(text string) parquet.ByteArray { return parquet.ByteArray(text) })
		_, err = column.WriteBatch(bytes, levels, nil)
	case *file.Float64ColumnChunkWriter:
		if v.Lists != nil {
			return fillLists(column, v)
		}
		_, err = column.WriteBatch(present(v, v.Floats), levels, nil)
	default:
		err = fmt.Errorf("a writer of the type %T", column)
	}
	return err
}

func present[T any](v *experiment.Vector, values []T) []T {
	if v.Null == nil {
		return values
	}
	kept := make([]T, 0, len(values))
	for i, value := range values {
		if !v.IsNull(i) {
			kept = append(kept, value)
		}
	}
	return kept
}

// fillLists writes for each value a level that says whether a list begins, and one that is 0 for no
// list, 1 for an empty one, 3 for a value.
func fillLists(column *file.Float64ColumnChunkWriter, v *experiment.Vector) error {
	const none, empty, value = 0, 1, 3
	var values []float64
	var what, begins []int16
	for i, list := range v.Lists {
		switch {
		case v.IsNull(i):
			what, begins = append(what, none), append(begins, 0)
		case len(list) == 0:
			what, begins = append(what, empty), append(begins, 0)
		}
		for k := range list {
			what, begins = append(what, value), append(begins, int16(min(k, 1)))
		}
		values = append(values, list...)
		if len(what) >= chunkValues || i == len(v.Lists)-1 {
			if _, err := column.WriteBatch(values, what, begins); err != nil {
				return err
			}
			values, what, begins = values[:0], what[:0], begins[:0]
		}
	}
	return nil
}
